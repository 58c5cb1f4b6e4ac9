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
import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { OutboxCommand, OutboxItem } from '../../shared/wire/outbox.ts';
import type { JoinConversation, ReaddressConversation } from '../conversation/commands.ts';
import { COUNTED_CONTACTS } from '../counters/counted-collections.ts';
import { recordCounted } from '../counters/dirty-fields.ts';
import type { ContactState } from '../domain/contact.ts';
import { decideAbsorb, decideForwarding, decideLearn, releaseOf } from '../domain/identity.ts';
import type { Environment } from '../environment.ts';
import { readOrganization } from '../organization/documents.ts';
import { Forwarded } from '../runtime/forward-ask.ts';
import { journalBarrier } from '../runtime/journal-barrier.ts';
import type {
  AbsorbContact,
  ContactIdentityCommand,
  LearnContact,
  LocatedContact,
  MergeContact,
  MergedContact,
} from './commands.ts';
import type { OpenContact } from './contact.ts';

const DONE: Answer = { status: 200, body: '{}' };
const REFUSED: Answer = { status: 409, body: '{}' };

/**
 * The contact that answers instead, or null; `phone` is empty unless the command names the contact
 * by it.
 */
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
  command: Command,
): never {
  const known = phone === '' ? {} : { numberIfNew: phone };
  throw new Forwarded({ kind: 'contact', key }, { ...known, ...command });
}

export async function answerIdentity(
  contact: OpenContact,
  command: ContactIdentityCommand,
): Promise<Answer> {
  const { environment } = contact.parts;
  const state = await contact.load(command);
  const movedTo = forwardedTo(environment, state, command.phone);
  switch (command.type) {
    case 'locate':
      return journaledAnswer(environment, movedTo === null ? located(state) : { movedTo });
    case 'merge-into':
      return merge(contact, state, command);
    case 'absorb':
      if (state.mergedInto) return forwardContact(next(state), command);
      return absorb(contact, state, command);
    case 'learn':
      if (state.mergedInto) return forwardContact(next(state), command);
      return learn(contact, state, command);
    default:
      return command satisfies never;
  }
}

function next({ mergedInto, phone }: ContactState) {
  return { key: mergedInto ?? '', phone };
}

/** A caller relies on the answer only after everything that was read is journaled. */
async function journaledAnswer(
  { store }: Pick<Environment, 'store'>,
  body: LocatedContact | MergedContact,
): Promise<Answer> {
  await journalBarrier(store);
  return { status: 200, body: JSON.stringify(body) };
}

function located({ id, version, createdAt, phone, aliases = [] }: ContactState): LocatedContact {
  return { id, createdAt: version === 0 ? null : createdAt, phone, aliases };
}

async function merge(
  contact: OpenContact,
  state: ContactState,
  command: MergeContact,
): Promise<Answer> {
  const { environment } = contact.parts;
  const { into, phone } = command;
  const movedTo = forwardedTo(environment, state, phone);
  if (movedTo === into.id) return journaledAnswer(environment, { merged: onRecordBefore(state) });
  if (movedTo !== null) return journaledAnswer(environment, { movedTo });
  const forwarding = decideForwarding(state, into);
  if (!forwarding) return REFUSED;
  const wasOnRecord = state.version > 0;
  if (wasOnRecord) await recordCounted(environment.store, COUNTED_CONTACTS, [state.id]);
  await contact.commit(forwarding, wasOnRecord ? await followUps(contact, state, into.id) : []);
  return { status: 200, body: JSON.stringify({ merged: wasOnRecord ? state : null }) };
}

/** Version 1 is a signpost from the start: no contact was on record before it. */
function onRecordBefore(state: ContactState): ContactState | null {
  return state.version > 1 ? state : null;
}

async function followUps(
  { parts: { environment } }: OpenContact,
  state: ContactState,
  into: string,
): Promise<readonly OutboxItem[]> {
  const { id, orgId } = state;
  const joins = await toConversations(environment, state, (channelId): JoinConversation => {
    return { id: `${id}-join-${channelId}`, type: 'join', orgId, channelId, contactId: into };
  });
  return [absorption(state, into), ...joins];
}

function absorption(state: ContactState, into: string): OutboxCommand {
  const { id, orgId } = state;
  const command: AbsorbContact = {
    id: `${id}-absorb`,
    type: 'absorb',
    orgId,
    phone: '',
    other: state,
  };
  return { type: 'command', id: command.id, to: { kind: 'contact', key: into }, command };
}

async function absorb(
  contact: OpenContact,
  state: ContactState,
  command: AbsorbContact,
): Promise<Answer> {
  const { environment } = contact.parts;
  const decision = decideAbsorb(state, command.other, environment.clock.now());
  if (decision === null) return journaledAnswer(environment, located(state));
  if ('refused' in decision) return REFUSED;
  const { accepted } = decision;
  await contact.commit(accepted, [
    ...contact.followUps(command, decision, 'network'),
    ...(await readdressing(environment, state, accepted)),
  ]);
  return DONE;
}

async function learn(
  contact: OpenContact,
  state: ContactState,
  command: LearnContact,
): Promise<Answer> {
  const { environment } = contact.parts;
  if (state.version === 0 && command.phone === '') return DONE;
  const decision = decideLearn(state, command, environment.clock.now());
  if ('refused' in decision) return REFUSED;
  if (decision.unchanged) return journaledAnswer(environment, located(state));
  const { accepted } = decision;
  await contact.commit(accepted, await readdressing(environment, state, accepted));
  return DONE;
}

/** Each conversation keeps its own copy of number and name, and receives the change. */
async function readdressing(
  environment: Environment,
  before: ContactState,
  { id, orgId, phone, name, version }: ContactState,
): Promise<readonly OutboxItem[]> {
  if (before.phone === phone && before.name === name) return [];
  const numberLeft = before.phone === phone ? null : before.phone;
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
    return { type: 'command', id: command.id, to, command };
  });
}
