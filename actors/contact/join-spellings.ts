/**
 * Joins the contacts of one person that were stored under two spellings of a number, before a
 * number had one key (D309). The key's own actor does it, in its first turn by number: the older
 * contact leads, and the other's id stays a way to it.
 *
 * It asks the other contact within its turn. For a step of a join that one asks nobody. But merges
 * of an earlier version may have led a second spelling to another number's own contact, and two that
 * cross make two first turns ask each other. So the asks end at half of the time that is left, and
 * the turn with them: the step that waits in the mailbox meanwhile is next.
 */
import { contactId, spelledContactIds } from '../../shared/entity-ids.ts';
import { AskFailed, type CommandOf } from '../../shared/ports/bus.ts';
import { shownSpelling, storedSpellings } from '../../shared/text/phone-spellings.ts';
import { bodyOfSuccess } from '../../shared/wire/answer.ts';
import { decideForwarding, survivorOf } from '../domain/identity.ts';
import type { ContactDocument } from '../model/contact.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { TurnContext } from '../runtime/kind.ts';
import { absorbContact, mergeContact, type NamedContact, type OpenContact } from './identity.ts';
import { readContactFrom } from './read-contact.ts';

const NOT_JOINED = 'the spellings of a number were not joined';

type Identified = Pick<ContactDocument, 'orgId' | 'phone'> & {
  readonly id: string;
  readonly createdAt: number | null;
};

/**
 * Idempotent; costs a read for each second spelling.
 * @returns false where another contact has not answered in half of the time
 */
export async function joinSpellings(
  contact: OpenContact,
  command: NamedContact,
  { deadline }: TurnContext,
): Promise<boolean> {
  const { clock, log } = contact.parts.environment;
  const halfway = Math.floor((clock.now() + deadline) / 2);
  try {
    await joinUntil(contact, { command, deadline: halfway });
    return true;
  } catch (cause) {
    if (!(cause instanceof AskFailed)) throw cause;
    log.warn({ contactId: contact.id, error: describe(cause) }, NOT_JOINED);
    return false;
  }
}

interface Joining {
  readonly command: NamedContact;
  /** Of the asks. */
  readonly deadline: number;
}

async function joinUntil(contact: OpenContact, { command, deadline }: Joining): Promise<void> {
  const { environment } = contact.parts;
  const { orgId, phone } = await contact.load(command);
  // Nearly every number has one spelling.
  if (storedSpellings(phone).length === 0) return;
  if (contactId(environment.ids, orgId, phone) !== contact.id) return;
  for (const id of spelledContactIds(environment.ids, orgId, phone)) {
    const other = await readContactFrom(environment, { id, orgId, phone });
    if (!other) continue;
    const own = await readContactFrom(environment, { id: contact.id, orgId, phone });
    const isJoined = own?._id === other._id;
    const leads = isJoined ? other._id : await join(contact, [own, other], { command, deadline });
    if (leads === other._id && leads !== contact.id) await show(contact, other, deadline);
  }
}

/** Returns the id of the one that leads. */
async function join(
  contact: OpenContact,
  [own, other]: readonly [ContactDocument | null, ContactDocument],
  { command, deadline }: Joining,
): Promise<string> {
  const state = await contact.load(command);
  const theirs = identified(other);
  if (own === null) {
    const forwarding = decideForwarding(state, theirs);
    if (forwarding) {
      await contact.commit({ state: forwarding, items: [], origin: 'network' });
    }
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
  const answer = await ask(contact, from.id, { id, ...merge }, deadline);
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
  deadline: number,
): Promise<void> {
  if (shownSpelling(phone) === phone) return;
  const id = contact.parts.environment.ids.fresh('cmd');
  const shown = { phone: shownSpelling(phone), aliases: [], origin: 'network' } as const;
  const learn = { id, type: 'learn', orgId, ...shown } as const;
  bodyOfSuccess(await ask(contact, _id, learn, deadline), NOT_JOINED);
}

function ask<Sent extends CommandOf<'contact'>>(
  { parts }: OpenContact,
  key: string,
  command: Sent,
  deadline: number,
) {
  return parts.environment.bus.ask({ kind: 'contact', key }, command, { deadline });
}

function identified({ _id, orgId, phone, createdAt }: ContactDocument): Identified {
  return { id: _id, orgId, phone, createdAt };
}
