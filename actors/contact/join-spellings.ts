/**
 * Joins the contacts of one person that were stored under two spellings of a number, before a
 * number had one key (D309). The key's own actor does it, in its first turn by number: the older
 * contact leads, and the other's id stays a way to it.
 *
 * It asks the other contact within its turn. That one asks nobody: it is no key's actor.
 */
import { contactId, spelledContactIds } from '../../shared/entity-ids.ts';
import type { CommandOf } from '../../shared/ports/bus.ts';
import { shownSpelling } from '../../shared/text/phone-spellings.ts';
import { bodyOfSuccess } from '../../shared/wire/answer.ts';
import { decideForwarding, survivorOf } from '../domain/identity.ts';
import type { TurnContext } from '../runtime/api.ts';
import { type ContactDocument, readContactFrom } from './api.ts';
import { absorbContact, mergeContact, type NamedContact, type OpenContact } from './identity.ts';

const NOT_JOINED = 'the spellings of a number were not joined';

type Identified = Pick<ContactDocument, 'orgId' | 'phone'> & {
  readonly id: string;
  readonly createdAt: number | null;
};

/** Idempotent; costs a read for each second spelling. */
export async function joinSpellings(
  contact: OpenContact,
  command: NamedContact,
  context: TurnContext,
): Promise<void> {
  const { environment } = contact.parts;
  const { orgId, phone } = await contact.load(command);
  if (phone === '' || contactId(environment.ids, orgId, phone) !== contact.id) return;
  for (const id of spelledContactIds(environment.ids, orgId, phone)) {
    const other = await readContactFrom(environment, { id, orgId, phone });
    if (!other) continue;
    const own = await readContactFrom(environment, { id: contact.id, orgId, phone });
    const isJoined = own?._id === other._id;
    const leads = isJoined ? other._id : await join(contact, [own, other], { command, context });
    if (leads === other._id && leads !== contact.id) await show(contact, other, context);
  }
}

interface Asked {
  readonly command: NamedContact;
  readonly context: TurnContext;
}

/** Returns the id of the one that leads. */
async function join(
  contact: OpenContact,
  [own, other]: readonly [ContactDocument | null, ContactDocument],
  { command, context }: Asked,
): Promise<string> {
  const state = await contact.load(command);
  const theirs = identified(other);
  if (own === null) {
    const forwarding = decideForwarding(state, theirs);
    if (forwarding) await contact.commit(forwarding, []);
    return theirs.id;
  }
  const ours = identified(own);
  const into = survivorOf([ours, theirs]);
  const from = into === ours ? theirs : ours;
  const { orgId, phone } = from;
  const merge = { type: 'merge-into', orgId, phone, into } as const;
  const id = contact.parts.environment.ids.fresh('cmd');
  if (from.id === contact.id) {
    bodyOfSuccess(await mergeContact(contact, { id, ...merge }), NOT_JOINED);
    return into.id;
  }
  const answer = await ask(contact, from.id, { id, ...merge }, context);
  const done = bodyOfSuccess(answer, NOT_JOINED);
  if ('movedTo' in done) throw new Error(NOT_JOINED);
  // The other's outbox commands the same: here its opt-out is in force before the turn goes on.
  if (into.id !== contact.id || done.merged === null) return into.id;
  const absorb = { type: 'absorb', orgId, phone: '', other: done.merged } as const;
  bodyOfSuccess(await absorbContact(contact, { id: `${from.id}-absorb`, ...absorb }), NOT_JOINED);
  return into.id;
}

/** A contact that was stored as the network shows it learns how it is shown here. */
async function show(
  contact: OpenContact,
  { _id, orgId, phone }: ContactDocument,
  context: TurnContext,
): Promise<void> {
  if (shownSpelling(phone) === phone) return;
  const id = contact.parts.environment.ids.fresh('cmd');
  const learn = { id, type: 'learn', orgId, phone: shownSpelling(phone), aliases: [] } as const;
  bodyOfSuccess(await ask(contact, _id, learn, context), NOT_JOINED);
}

function ask<Sent extends CommandOf<'contact'>>(
  { parts }: OpenContact,
  key: string,
  command: Sent,
  { deadline }: TurnContext,
) {
  return parts.environment.bus.ask({ kind: 'contact', key }, command, { deadline });
}

function identified({ _id, orgId, phone, createdAt }: ContactDocument): Identified {
  return { id: _id, orgId, phone, createdAt };
}
