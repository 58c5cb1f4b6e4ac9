/**
 * Turns about the identity of a contact. Each identity derives the id of an actor. Only that actor
 * writes where the identity leads: to itself, or over a signpost to another contact.
 *
 * 1. A merge is one commit of the younger contact: the signpost, and an outbox with its
 *    consequences. These are the absorption by the older contact and the joins of conversations.
 *    Each is idempotent.
 * 2. No turn waits for another contact: its commands are forwarded outside the mailbox. A signpost
 *    leads from a later contact to an earlier one (`decideForwarding`). A released number leads to
 *    an id that no contact had before. Neither way leads back.
 * Decisions: D141.
 */
import { conversationId, laterContactId } from '../../shared/entity-ids.ts';
import type { Answer, AnswerOf, Command, CommandOf } from '../../shared/ports/bus.ts';
import { isSameNumber } from '../../shared/text/phone-spellings.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { Acknowledged } from '../../shared/wire/command-map.ts';
import { type OutboxCommand, type OutboxItem, outboxCommand } from '../../shared/wire/outbox.ts';
import { recordCounted } from '../counters/counted-collection.ts';
import { COUNTED_CONTACTS } from '../counters/counted-collections.ts';
import type { ContactState } from '../domain/contact.ts';
import { decideAbsorb, decideForwarding, decideLearn, releaseOf } from '../domain/identity.ts';
import type { Environment } from '../environment.ts';
import type {
  AbsorbContact,
  LearnContact,
  LocateContact,
  LocatedContact,
  MergeContact,
  MergedContact,
} from '../model/contact.ts';
import type { JoinConversation, ReaddressConversation } from '../model/conversation.ts';
import type { Audience } from '../organization/audience.ts';
import { readOrganization } from '../organization/read-organization.ts';
import type { Relay } from '../outbox/relay.ts';
import { journalBarrier } from '../runtime/journal-barrier.ts';
import { Forwarded } from '../runtime/turn.ts';
import type { Changed } from './flow-routing.ts';

export interface ContactParts {
  readonly environment: Environment;
  readonly relay: Relay;
  readonly audience: Pick<Audience, 'isHearing'>;
}

/** The next version of a contact, with what follows from it. */
export interface Committed {
  readonly state: ContactState;
  readonly items: readonly OutboxItem[];
  readonly origin: Origin;
}

/** How a command names the contact. */
export interface NamedContact {
  readonly orgId: string;
  readonly phone: string;
  /** The number of the signpost that led here, where the command itself contains none. */
  readonly numberIfNew?: unknown;
}

/** The contact's actor, as its turns about identity know it. */
export interface OpenContact {
  readonly id: string;
  readonly parts: ContactParts;
  /** The contact on record, or a new one under this number. */
  load(named: NamedContact): Promise<ContactState>;
  /** Commits the next version, then publishes its events and `items`. */
  commit(committed: Committed): Promise<void>;
  /** Events and commands that follow a change, for subscribers and flows. */
  followUps(command: Command, changed: Changed, origin: string): readonly OutboxItem[];
}

const REFUSED: Answer = { status: 409, body: '{}' };

/** The contact that answers instead, or null; `phone` is empty unless the command names it so. */
export function forwardedTo(
  { ids }: Pick<Environment, 'ids'>,
  state: ContactState,
  phone: string,
): string | null {
  const release = releaseOf(state, phone);
  if (release !== undefined) return laterContactId(ids, state, release);
  return state.mergedInto ?? null;
}

/**
 * Forwards the command to the contact that answers for this one, with the signpost's number.
 * @throws {Forwarded} always
 */
export function forwardContact(
  { key, phone }: { readonly key: string; readonly phone: string },
  command: CommandOf<'contact'>,
): never {
  const known = phone === '' ? {} : { numberIfNew: phone };
  throw new Forwarded({ to: { kind: 'contact', key }, command: { ...known, ...command } });
}

export async function locateContact(
  contact: OpenContact,
  command: LocateContact,
): Promise<AnswerOf<LocatedContact>> {
  const { environment } = contact.parts;
  const state = await contact.load(command);
  const movedTo = forwardedTo(environment, state, command.phone);
  if (movedTo !== null) return journaledAnswer(environment, { movedTo });
  const { id, version, phone, aliases = [] } = state;
  const createdAt = version === 0 ? null : state.createdAt;
  return journaledAnswer(environment, { id, createdAt, phone, aliases });
}

/** A caller relies on the answer only after everything that was read is journaled. */
async function journaledAnswer<Body>(
  { store }: Pick<Environment, 'store'>,
  body: Body,
): Promise<AnswerOf<Body>> {
  await journalBarrier(store);
  return answerOf(body);
}

export async function mergeContact(
  contact: OpenContact,
  command: MergeContact,
): Promise<AnswerOf<MergedContact>> {
  const { environment } = contact.parts;
  const state = await contact.load(command);
  const { into, phone } = command;
  const movedTo = forwardedTo(environment, state, phone);
  if (movedTo === into.id) {
    // Version 1 is a signpost from the start: no contact was on record before it.
    return journaledAnswer(environment, { merged: state.version > 1 ? state : null });
  }
  if (movedTo !== null) return journaledAnswer(environment, { movedTo });
  const forwarding = decideForwarding(state, into);
  if (!forwarding) return REFUSED;
  const wasOnRecord = state.version > 0;
  if (wasOnRecord) await recordCounted(environment.store, COUNTED_CONTACTS, [state.id]);
  const items = wasOnRecord ? await followUps(contact, state, into.id) : [];
  await contact.commit({ state: forwarding, items, origin: 'network' });
  return answerOf({ merged: wasOnRecord ? state : null });
}

async function followUps(
  { parts: { environment } }: OpenContact,
  state: ContactState,
  into: string,
): Promise<readonly OutboxItem[]> {
  const { id, orgId } = state;
  const absorb = { id: `${id}-absorb`, type: 'absorb', orgId, phone: '', other: state } as const;
  const absorption = outboxCommand({ to: { kind: 'contact', key: into }, command: absorb });
  const joins = await toConversations(environment, state, (channelId): JoinConversation => {
    return { id: `${id}-join-${channelId}`, type: 'join', orgId, channelId, contactId: into };
  });
  return [absorption, ...joins];
}

export async function absorbContact(
  contact: OpenContact,
  command: AbsorbContact,
): Promise<AnswerOf<Acknowledged>> {
  const { environment } = contact.parts;
  const state = await contact.load(command);
  const { mergedInto: key, phone } = state;
  if (key) return forwardContact({ key, phone }, command);
  const decision = decideAbsorb(state, command.other, environment.clock.now());
  if (decision === null) return journaledAnswer(environment, {});
  if ('refused' in decision) return REFUSED;
  const { accepted } = decision;
  const items = [
    ...contact.followUps(command, decision, 'network'),
    ...(await readdressing(environment, state, accepted)),
  ];
  await contact.commit({ state: accepted, items, origin: 'network' });
  return DONE;
}

export async function learnContact(
  contact: OpenContact,
  command: LearnContact,
): Promise<AnswerOf<Acknowledged>> {
  const { environment } = contact.parts;
  const state = await contact.load(command);
  const { mergedInto: key, phone } = state;
  if (key) return forwardContact({ key, phone }, command);
  if (state.version === 0 && command.phone === '') return DONE;
  const decision = decideLearn(state, command, environment.clock.now());
  if ('refused' in decision) return REFUSED;
  if (decision.unchanged) return journaledAnswer(environment, {});
  const { accepted } = decision;
  const items = await readdressing(environment, state, accepted);
  await contact.commit({ state: accepted, items, origin: command.origin });
  return DONE;
}

/** Each conversation keeps its own copy of number and name, and receives the change. */
async function readdressing(
  environment: Environment,
  before: ContactState,
  { id, orgId, phone, name, version }: ContactState,
): Promise<readonly OutboxItem[]> {
  if (before.phone === phone && before.name === name) return [];
  const numberLeft = isSameNumber(before.phone, phone) ? null : before.phone;
  return toConversations(environment, before, (channelId): ReaddressConversation => {
    const contact = { id, phone, name };
    const command = `${id}-v${version}-${channelId}`;
    return { id: command, type: 'readdress', orgId, channelId, contact, numberLeft };
  });
}

async function toConversations(
  { store, ids }: Environment,
  { id, orgId }: ContactState,
  commandOf: (channelId: string) => JoinConversation | ReaddressConversation,
): Promise<readonly OutboxCommand[]> {
  const organization = await readOrganization(store, orgId, ['channels']);
  return (organization?.channels ?? []).map((channel) => {
    const command = commandOf(channel.id);
    const to = { kind: 'conversation', key: conversationId(ids, channel.id, id) } as const;
    return outboxCommand({ to, command });
  });
}
