/**
 * Contact resolution: the contact of a person whom the network shows by a number, by opaque ids, or
 * by both. Ids that arrive together belong to one person from then on.
 *
 * 1. A number without opaque ids needs no ask: its contact's own actor knows where it leads.
 * 2. Resolved ids are cached: a known person costs no ask. A stale result is harmless, because
 *    contacts and conversations forward their commands.
 * 3. This coordinator is no actor and decides nothing that an actor does not check. Each step is
 *    idempotent, and the network repeats a webhook after a failed step.
 * Decisions: D141.
 */
import { contactId, conversationId } from '../../../shared/entity-ids.ts';
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import { ASK_DEADLINE_MS, ID_MAX_CHARS } from '../../../shared/limits.ts';
import type { Address, CommandOf } from '../../../shared/ports/bus.ts';
import type { NetworkEvent, NetworkPerson } from '../../../shared/ports/network-event.ts';
import { isSameNumber } from '../../../shared/text/phone-spellings.ts';
import type { ActorKind, Origin } from '../../../shared/vocabulary.ts';
import { bodyOfSuccess } from '../../../shared/wire/answer.ts';
import { survivorOf } from '../../domain/identity.ts';
import type { LearnContact, LocatedContact } from '../../model/contact.ts';
import type { ChannelEnvironment } from '../readiness/configuration.ts';

/** Cached results per process, one for each set of ids that the network showed. */
const CONTACTS_CACHED_MAX = 20_000;
const IDS_MAX = 8;
const HOPS_MAX = 16;
const TRIES = 5;
/** The networks report whole seconds. */
const SECOND_MS = 1_000;
const IS_NUMBER = /^\+?\d*(?:@(?:c\.us|s\.whatsapp\.net))?$/;

const NOT_RESOLVED = 'a person was not resolved';

interface ResolutionContext {
  readonly channelId: string;
  readonly environment: ChannelEnvironment;
  /** The cache of the process. */
  readonly contacts: ContactCache;
}

interface Scope extends Pick<ResolutionContext, 'channelId' | 'environment'> {
  readonly orgId: string;
  /** Of a contact that is recorded here. */
  readonly origin: Origin;
  readonly profileName?: string | undefined;
}

type Located = Exclude<LocatedContact, { movedTo: string }>;

/** Contact ids by organization, number and opaque ids. */
export type ContactCache = GenerationalCache<string, string>;

export function createContactCache(): ContactCache {
  return new GenerationalCache(CONTACTS_CACHED_MAX);
}

/** Returns the contact's id. Ids that arrive together become one contact first. */
export async function resolveContact(
  context: ResolutionContext,
  { orgId, origin, profileName }: Pick<Scope, 'orgId' | 'origin' | 'profileName'>,
  person: NetworkPerson,
): Promise<string> {
  const { channelId, environment, contacts } = context;
  const { phone } = person;
  const opaque = opaqueIds(person);
  if (opaque.length === 0) return contactId(environment.ids, orgId, phone);
  const key = [orgId, phone, ...opaque].join(' ');
  const known = contacts.get(key);
  if (known !== undefined) return known;
  const scope = { channelId, environment, orgId, origin, profileName };
  const contact = await unify(scope, { phone, opaque });
  contacts.set(key, contact);
  return contact;
}

type NumberChange = Omit<Extract<NetworkEvent, { type: 'number-change' }>, 'type'>;

/** Gives the new number to the contact of the old one; the ids of both become one contact. */
export async function changeNumber(scope: Scope, { from, to, at }: NumberChange): Promise<void> {
  const [identity] = identitiesOf({ phone: from.phone, opaque: opaqueIds(from) });
  const opaque = opaqueIds(to);
  const found = identity === undefined ? null : await findLeaving(scope, identity, { from, to });
  // A newer contact is another person: the number was recycled before this report arrived.
  const isSamePerson = found && found.createdAt !== null && found.createdAt < at + SECOND_MS;
  if (isSamePerson) await learn(scope, found.id, { phone: to.phone, aliases: opaque });
  const contact = isSamePerson ? { contact: found.id } : {};
  await unify(scope, { phone: to.phone, opaque, ...contact });
}

/** Null where the contact already has the new number: the network repeats itself. */
async function findLeaving(
  scope: Scope,
  identity: string,
  { from, to }: Pick<NumberChange, 'from' | 'to'>,
): Promise<Located | null> {
  const id = idOf(scope, identity);
  const first = await locate(scope, id, '');
  if (to.phone !== '' && isSameNumber(first.phone, to.phone)) return null;
  return identity === from.phone ? locate(scope, id, from.phone) : first;
}

interface PersonIds {
  readonly phone: string;
  readonly opaque: readonly string[];
  /** A contact that is known to be the same person. */
  readonly contact?: string;
}

/** Merges the contacts of all ids into one, and returns its id. */
async function unify(scope: Scope, personIds: PersonIds): Promise<string> {
  for (let tries = 0; tries < TRIES; tries++) {
    const survivor = await unifyOnce(scope, personIds);
    if (survivor !== null) return survivor;
  }
  throw new Error('the ids of a person did not become one contact');
}

/** Null: a contact changed, and all have to be located again. */
async function unifyOnce(scope: Scope, personIds: PersonIds): Promise<string | null> {
  const { phone, contact } = personIds;
  const lookups = identitiesOf(personIds).map((identity) =>
    locate(scope, idOf(scope, identity), identity === phone ? phone : ''),
  );
  if (contact !== undefined) lookups.push(locate(scope, contact, ''));
  const { located, aliases } = withoutUncertain(scope, await Promise.all(lookups), personIds);
  const [first, ...others] = located;
  if (!first) throw new TypeError('a person is shown by one id at least');
  const survivor = survivorOf([first, ...others]);
  const distinct = new Map([first, ...others].map((each) => [each.id, each]));
  distinct.delete(survivor.id);
  // The contact is recorded with its number first: a command over a signpost may not contain it.
  if (survivor.createdAt === null && phone !== '' && distinct.size > 0) {
    await learn(scope, first.id, { phone, aliases });
    return null;
  }
  // The survivor regains a number that it had left, before that number's later contact leads to it.
  if (survivor.createdAt !== null && !knows(survivor, { phone, aliases })) {
    await learn(scope, survivor.id, { phone, aliases });
  }
  for (const each of distinct.values()) {
    if (!(await mergeInto(scope, each, survivor))) return null;
  }
  return survivor.id;
}

function knows(known: Located, { phone, aliases }: Pick<Located, 'phone' | 'aliases'>): boolean {
  const hasNumber = phone === '' || isSameNumber(known.phone, phone);
  return hasNumber && aliases.every((alias) => known.aliases.includes(alias));
}

/**
 * A business-scoped id belongs to one person under any number. A chat's hidden id is less certain.
 * If its contact has another number than the one shown, the id is left out and the number decides.
 */
function withoutUncertain(
  { channelId, environment }: Scope,
  all: readonly Located[],
  { phone, opaque }: PersonIds,
): { readonly located: readonly Located[]; readonly aliases: readonly string[] } {
  if (phone === '') return { located: all, aliases: opaque };
  // `all` holds the number's own contact first, then those of the opaque ids.
  const uncertain = opaque.filter((id, at) => {
    const known = all[at + 1]?.phone ?? '';
    return id.includes('@') && known !== '' && !isSameNumber(known, phone);
  });
  if (uncertain.length === 0) return { located: all, aliases: opaque };
  environment.log.warn({ channelId }, 'hidden id ignored: number differs');
  return {
    located: all.filter((_, at) => !uncertain.includes(opaque[at - 1] ?? '')),
    aliases: opaque.filter((id) => !uncertain.includes(id)),
  };
}

/** Digits identify a number; every other id is opaque. */
function opaqueIds({ phone, networkId, aliases = [] }: NetworkPerson): readonly string[] {
  const personIds = [...aliases, ...(phone === '' ? [networkId] : [])];
  const opaque = personIds.filter((id) => !IS_NUMBER.test(id) && id.length <= ID_MAX_CHARS);
  const hidden = phone === '' && opaque.length === 0 ? [networkId] : opaque;
  return [...new Set(hidden)].sort().slice(0, IDS_MAX);
}

/** Texts from which contact ids derive, the number first. */
function identitiesOf({ phone, opaque }: PersonIds): readonly string[] {
  return [...(phone === '' ? [] : [phone]), ...opaque.map((id) => `~${id}`)];
}

function idOf({ environment, orgId }: Scope, identity: string): string {
  return contactId(environment.ids, orgId, identity);
}

async function locate(scope: Scope, id: string, phone: string): Promise<Located> {
  const { environment, orgId } = scope;
  let key = id;
  for (let hops = 0; hops < HOPS_MAX; hops++) {
    const command = { id: environment.ids.fresh('cmd'), type: 'locate', orgId, phone } as const;
    const found = bodyOfSuccess(await askContact(scope, key, command), NOT_RESOLVED);
    if (!('movedTo' in found)) return found;
    key = found.movedTo;
  }
  throw new Error('a contact has moved too often');
}

/** False when the contact has moved, or has changed since it was located. */
async function mergeInto(scope: Scope, from: Located, into: Located): Promise<boolean> {
  const { channelId, environment, orgId } = scope;
  const { ids } = environment;
  const { id, createdAt, phone } = into;
  const answer = await askContact(scope, from.id, {
    id: ids.fresh('cmd'),
    type: 'merge-into',
    orgId,
    phone: from.phone,
    into: { id, createdAt, phone },
  });
  if (answer.status === 409) return false;
  const done = bodyOfSuccess(answer, NOT_RESOLVED);
  if ('movedTo' in done) return false;
  if (done.merged === null) return true;
  // The merged contact's outbox holds the same commands: here the caller waits for them.
  const absorb = { type: 'absorb', orgId, phone: '', other: done.merged } as const;
  const absorbed = await askContact(scope, id, { id: `${from.id}-absorb`, ...absorb });
  bodyOfSuccess(absorbed, NOT_RESOLVED);
  const to = { kind: 'conversation', key: conversationId(ids, channelId, from.id) } as const;
  const join = { type: 'join', orgId, channelId, contactId: id } as const;
  const joined = await ask(scope, to, { id: `${from.id}-join-${channelId}`, ...join });
  bodyOfSuccess(joined, NOT_RESOLVED);
  return true;
}

async function learn(
  scope: Scope,
  key: string,
  personIds: Pick<LearnContact, 'phone' | 'aliases'>,
): Promise<void> {
  const { environment, orgId, origin, profileName } = scope;
  const id = environment.ids.fresh('cmd');
  const named = profileName === undefined ? {} : { profileName };
  const learnt = { id, type: 'learn', orgId, origin, ...named, ...personIds } as const;
  bodyOfSuccess(await askContact(scope, key, learnt), NOT_RESOLVED);
}

function askContact<Sent extends CommandOf<'contact'>>(scope: Scope, key: string, command: Sent) {
  return ask(scope, { kind: 'contact', key }, command);
}

function ask<Kind extends ActorKind, Sent extends CommandOf<Kind>>(
  { environment }: Scope,
  to: Address<Kind>,
  command: Sent,
) {
  return environment.bus.ask(to, command, { deadline: environment.clock.now() + ASK_DEADLINE_MS });
}
