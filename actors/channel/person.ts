/**
 * The contact of a person as the network shows them: by a number, by opaque ids, or by both. Ids
 * that are told together are one person's from then on.
 *
 * 1. A number without opaque ids needs no question: its contact's own actor knows where it leads.
 * 2. Ids that were resolved are kept in memory: a known person costs no question. An answer that
 *    has become old is harmless, because contacts and conversations forward what comes to them.
 * 3. This coordinator is no actor and decides nothing that an actor does not check: each step is
 *    idempotent, and the network repeats a webhook whose steps did not all succeed.
 * Decisions: D141.
 */
import { contactId, conversationId } from '../../shared/entity-ids.ts';
import { GenerationalCache } from '../../shared/generational-cache.ts';
import { ASK_DEADLINE_MS, ID_MAX_CHARS } from '../../shared/limits.ts';
import type { Address, Answer, Command } from '../../shared/ports.ts';
import type {
  AbsorbContact,
  LearnContact,
  LocateContact,
  LocatedContact,
  MergeContact,
  MergedContact,
} from '../contact/commands.ts';
import type { JoinConversation } from '../conversation/commands.ts';
import { survivorOf } from '../domain/identity.ts';
import type { DeskWorld } from './configuration.ts';

/** People of a process, each under the ids that they were last shown by. */
const PEOPLE_MAX = 20_000;
const IDS_MAX = 8;
const HOPS_MAX = 16;
const TRIES = 5;

export interface ShownPerson {
  /** Canonical digits, or empty. */
  readonly phone: string;
  readonly networkId: string;
  readonly aliases?: readonly string[] | undefined;
}

interface PeopleDesk {
  readonly channelId: string;
  readonly world: DeskWorld;
  /** Of the process. */
  readonly people: People;
}

interface Place {
  readonly desk: PeopleDesk;
  readonly orgId: string;
}

type Located = Exclude<LocatedContact, { movedTo: string }>;

/** Contacts of people, by all that they were shown under. */
export type People = GenerationalCache<string, string>;

export function noPeople(): People {
  return new GenerationalCache(PEOPLE_MAX);
}

/** The contact's id; ids that are told together become one contact first. */
export async function contactOf(
  desk: PeopleDesk,
  orgId: string,
  person: ShownPerson,
): Promise<string> {
  const { phone } = person;
  const opaque = opaqueIds(person);
  if (opaque.length === 0) return contactId(desk.world.ids, orgId, phone);
  const key = [orgId, phone, ...opaque].join(' ');
  const known = desk.people.get(key);
  if (known !== undefined) return known;
  const contact = await unify({ desk, orgId }, { phone, opaque });
  desk.people.set(key, contact);
  return contact;
}

export interface NumberChange {
  readonly from: ShownPerson;
  readonly to: ShownPerson;
  readonly at: number;
}

/** The contact of the number that was left gets the new one; ids of both become one contact. */
export async function changeNumber(
  desk: PeopleDesk,
  orgId: string,
  { from, to, at }: NumberChange,
): Promise<void> {
  const place = { desk, orgId };
  const [identity] = identitiesOf({ phone: from.phone, opaque: opaqueIds(from) });
  const opaque = opaqueIds(to);
  const found = identity === undefined ? null : await findLeaving(place, identity, { from, to });
  // The number may have been recycled before the network tells it: that contact is newer.
  const isTheirs = found && found.createdAt !== null && found.createdAt < at + SECOND_MS;
  if (!isTheirs) {
    await unify(place, { phone: to.phone, opaque });
    return;
  }
  await learn(place, found.id, { phone: to.phone, aliases: opaque });
  await unify(place, { phone: to.phone, opaque, contact: found.id });
}

/** Null where the number was left for the new one before: the network repeats itself. */
async function findLeaving(
  place: Place,
  identity: string,
  { from, to }: Pick<NumberChange, 'from' | 'to'>,
): Promise<Located | null> {
  const id = idOf(place, identity);
  const first = await locate(place, id, '');
  if (first.phone === to.phone && to.phone !== '') return null;
  return identity === from.phone ? locate(place, id, from.phone) : first;
}

/** The networks tell whole seconds. */
const SECOND_MS = 1_000;

interface Told {
  readonly phone: string;
  readonly opaque: readonly string[];
  /** A contact that is known to be the same person. */
  readonly contact?: string;
}

/** Answers the one contact that all of them are from now on. */
async function unify(place: Place, told: Told): Promise<string> {
  for (let tries = 0; tries < TRIES; tries++) {
    const stays = await unifyOnce(place, told);
    if (stays !== null) return stays;
  }
  throw new Error('the ids of a person did not become one contact');
}

/** Null: they changed meanwhile, and have to be located again. */
async function unifyOnce(place: Place, { phone, opaque, contact }: Told): Promise<string | null> {
  const identities = identitiesOf({ phone, opaque });
  const asked = identities.map((identity) =>
    locate(place, idOf(place, identity), identity === phone ? phone : ''),
  );
  if (contact !== undefined) asked.push(locate(place, contact, ''));
  const told = { phone, opaque };
  const { located, aliases } = withoutDoubtful(place, await Promise.all(asked), told);
  const [first, ...others] = located;
  if (!first) throw new TypeError('a person is shown by one id at least');
  const stays = survivorOf([first, ...others]);
  const distinct = new Map([first, ...others].map((each) => [each.id, each]));
  distinct.delete(stays.id);
  // On record with its number first: whoever comes over a signpost may not show it.
  if (stays.createdAt === null && phone !== '' && distinct.size > 0) {
    await learn(place, first.id, { phone, aliases });
    return null;
  }
  // It takes a number back that it had left, before the number's later contact leads here.
  if (stays.createdAt !== null && !knows(stays, { phone, aliases })) {
    await learn(place, stays.id, { phone, aliases });
  }
  for (const each of distinct.values()) {
    if (!(await mergeInto(place, each, stays))) return null;
  }
  return stays.id;
}

function knows(
  known: Pick<Located, 'phone' | 'aliases'>,
  { phone, aliases }: Pick<LearnContact, 'phone' | 'aliases'>,
): boolean {
  const isSameNumber = phone === '' || known.phone === phone;
  return isSameNumber && aliases.every((alias) => known.aliases.includes(alias));
}

/**
 * A business-scoped id is one person's under whatever number. A chat's hidden id is less sure: told
 * with another number than its contact has, it is left out, and the number decides.
 */
function withoutDoubtful(
  { desk }: Place,
  all: readonly Located[],
  { phone, opaque }: Told,
): { readonly located: readonly Located[]; readonly aliases: readonly string[] } {
  if (phone === '') return { located: all, aliases: opaque };
  // The number's own contact comes before those of the opaque ids.
  const doubtful = opaque.filter((id, at) => {
    const known = all[at + 1]?.phone ?? '';
    return id.includes('@') && known !== '' && known !== phone;
  });
  if (doubtful.length === 0) return { located: all, aliases: opaque };
  desk.world.log.warn({ channelId: desk.channelId }, 'a hidden id came with another number');
  return {
    located: all.filter((_, at) => !doubtful.includes(opaque[at - 1] ?? '')),
    aliases: opaque.filter((id) => !doubtful.includes(id)),
  };
}

/** Digits are of a number; every other id is opaque. */
function opaqueIds({ phone, networkId, aliases = [] }: ShownPerson): readonly string[] {
  const told = [...aliases, ...(phone === '' ? [networkId] : [])];
  const opaque = told.filter((id) => !IS_NUMBER.test(id) && id.length <= ID_MAX_CHARS);
  const hidden = phone === '' && opaque.length === 0 ? [networkId] : opaque;
  return [...new Set(hidden)].sort().slice(0, IDS_MAX);
}

const IS_NUMBER = /^\+?\d*(?:@(?:c\.us|s\.whatsapp\.net))?$/;

/** Texts from which ids of contacts are derived, the number first. */
function identitiesOf({ phone, opaque }: Told): readonly string[] {
  return [...(phone === '' ? [] : [phone]), ...opaque.map((id) => `~${id}`)];
}

function idOf({ desk, orgId }: Place, identity: string): string {
  return contactId(desk.world.ids, orgId, identity);
}

async function locate({ desk, orgId }: Place, id: string, phone: string): Promise<Located> {
  let key = id;
  for (let hops = 0; hops < HOPS_MAX; hops++) {
    const command: LocateContact = { id: fresh(desk), type: 'locate', orgId, phone };
    const answer = await ask(desk, { kind: 'contact', key }, command);
    const found: LocatedContact = JSON.parse(accepted(answer).body);
    if (!('movedTo' in found)) return found;
    key = found.movedTo;
  }
  throw new Error('a contact has moved too often');
}

/** False when the contact has moved, or was not as it had been located. */
async function mergeInto(place: Place, from: Located, into: Located): Promise<boolean> {
  const { desk, orgId } = place;
  const { id, createdAt, phone } = into;
  const merge: MergeContact = {
    id: fresh(desk),
    type: 'merge-into',
    orgId,
    phone: from.phone,
    into: { id, createdAt, phone },
  };
  const answer = await ask(desk, { kind: 'contact', key: from.id }, merge);
  if (answer.status === 409) return false;
  const done: MergedContact = JSON.parse(accepted(answer).body);
  if ('movedTo' in done) return false;
  if (done.merged === null) return true;
  // The outbox of the merged contact asks the same: here it is waited for.
  const absorb: AbsorbContact = {
    id: `${from.id}-absorb`,
    type: 'absorb',
    orgId,
    phone: '',
    other: done.merged,
  };
  accepted(await ask(desk, { kind: 'contact', key: id }, absorb));
  await joinHere(place, from.id, id);
  return true;
}

async function joinHere({ desk, orgId }: Place, from: string, into: string): Promise<void> {
  const { channelId, world } = desk;
  const join: JoinConversation = {
    id: `${from}-join-${channelId}`,
    type: 'join',
    orgId,
    channelId,
    contactId: into,
  };
  const key = conversationId(world.ids, channelId, from);
  accepted(await ask(desk, { kind: 'conversation', key }, join));
}

async function learn(
  { desk, orgId }: Place,
  key: string,
  told: Pick<LearnContact, 'phone' | 'aliases'>,
): Promise<void> {
  const command: LearnContact = { id: fresh(desk), type: 'learn', orgId, ...told };
  accepted(await ask(desk, { kind: 'contact', key }, command));
}

function ask({ world }: PeopleDesk, to: Address, command: Command): Promise<Answer> {
  return world.bus.ask(to, command, { deadline: world.clock.now() + ASK_DEADLINE_MS });
}

function fresh({ world }: PeopleDesk): string {
  return world.ids.fresh('cmd');
}

function accepted(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`a person was not resolved: ${answer.status}`);
  return answer;
}
