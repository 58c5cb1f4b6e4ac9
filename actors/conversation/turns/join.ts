/**
 * Merge of two conversations of one person on one channel, and forwarding to the one that stays.
 *
 * 1. The conversation of the younger contact asks the other one which of the two gives way. No turn
 *    waits for another conversation: each forwards the next step (`runtime/forward-ask`). Every
 *    step is idempotent, and the contact's outbox repeats the first one.
 * 2. A conversation gives way only to an older one: `joinedTo` forms no cycle.
 * 3. A command is forwarded to the older conversation under its own id. It lists the conversations
 *    that it has passed, and is accepted where it would return to one of them.
 *
 * Decisions: D142.
 */
import { contactId, conversationId } from '../../../shared/entity-ids.ts';
import type { Answer, Command, CommandOf } from '../../../shared/ports/bus.ts';
import { storedSpellings } from '../../../shared/text/phone-spellings.ts';
import { DONE } from '../../../shared/wire/answer.ts';
import { type OutboxCommand, outboxCommand } from '../../../shared/wire/outbox.ts';
import {
  type ConversationContact,
  type ConversationState,
  newConversation,
} from '../../domain/conversation/conversation.ts';
import {
  decideAbsorption,
  decideJoin,
  decideReaddress,
  isOlder,
} from '../../domain/conversation/join.ts';
import type {
  AbsorbConversation,
  ConversationJoining,
  GiveWay,
  JoinConversation,
  ReaddressConversation,
  YieldConversation,
} from '../../model/conversation.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import { Forwarded, hopsOf } from '../../runtime/turn.ts';
import { causeOf } from './cause.ts';
import type { Conversation } from './conversation.ts';

/** Thrown where the conversation of a command's contact has another key. */
export class BelongsElsewhere extends Error {
  readonly key: string;

  constructor(key: string) {
    super(`the conversation is ${key}`);
    this.name = 'BelongsElsewhere';
    this.key = key;
  }
}

type ToContact = Extract<CommandOf<'conversation'>, { phone: unknown }> & { phone: string };

/**
 * Checks that the conversation of the command's number is this one. Updates the contact in memory
 * where it is the same contact under another number.
 * @throws {BelongsElsewhere} where the number belongs to another contact, or has moved to one
 */
export async function assertNumber(
  conversation: Conversation,
  loaded: ConversationState | null,
  { command, context }: Asked<CommandOf<'conversation'>>,
): Promise<void> {
  if (!loaded || !isByNumber(command)) return;
  const { orgId, phone } = command;
  const isKnown = phone === loaded.contact.phone;
  // A number with two spellings may have two contacts: its key's actor joins them when it is asked.
  if (isKnown && (conversation.isNumberChecked || storedSpellings(phone).length === 0)) return;
  const id = contactId(conversation.parts.environment.ids, orgId, phone);
  const { origin } = causeOf(command);
  const facts = { id, orgId, phone, profileName: null, source: 'api', origin } as const;
  const contact = await conversation.ensureContact(facts, context);
  assertHere(conversation, loaded, { command, asked: id, contact });
  if (contact.id === loaded.contact.id) conversation.learn({ contact });
  conversation.isNumberChecked = true;
}

function isByNumber(command: CommandOf<'conversation'>): command is ToContact {
  if (!('phone' in command) || command.phone === null || command.phone === '') return false;
  return !('byConversation' in command) || !command.byConversation;
}

interface FoundContact {
  readonly command: Pick<Command, 'via'> & { readonly channelId: string };
  /** Id of the contact that the command names. */
  readonly asked: string;
  readonly contact: ConversationContact;
}

/**
 * Checks the key. A contact that answers under the id that was asked has not been merged: its
 * conversation has not moved.
 * @throws {BelongsElsewhere} unless this is the contact's conversation, as far as is known here
 */
export function assertHere(
  { id, parts }: Conversation,
  loaded: ConversationState | null,
  { command, asked, contact }: FoundContact,
): void {
  if (contact.id === asked || loaded?.contact.id === contact.id) return;
  const key = conversationId(parts.environment.ids, command.channelId, contact.id);
  if (key !== id && !hopsOf(command).includes(key)) throw new BelongsElsewhere(key);
}

/** @throws {Forwarded} always */
export function forwardConversation(key: string, command: CommandOf<'conversation'>): never {
  throw new Forwarded({ to: { kind: 'conversation', key }, command });
}

export async function answerJoining(
  conversation: Conversation,
  command: ConversationJoining,
  context: TurnContext,
): Promise<Answer> {
  const state = (await conversation.load()) ?? (await conversation.reload());
  if (command.type === 'yield') return answerYield(conversation, state, command);
  if (!state && command.type === 'absorb-conversation') {
    throw new Error('a conversation that stays is on record');
  }
  // Without a conversation there is nothing to merge or to update.
  if (!state) return DONE;
  if (command.type === 'give-way') return giveWay(conversation, state, command);
  if (state.joinedTo !== undefined) return forwardConversation(state.joinedTo, command);
  switch (command.type) {
    case 'join':
      return join(conversation, state, { command, context });
    case 'absorb-conversation':
      return absorb(conversation, state, command);
    case 'readdress':
      return readdress(conversation, state, command);
    default:
      return command satisfies never;
  }
}

interface Asked<T extends Command> {
  readonly command: T;
  readonly context: TurnContext;
}

async function join(
  conversation: Conversation,
  state: ConversationState,
  { command, context }: Asked<JoinConversation>,
): Promise<Answer> {
  const { contactId } = command;
  if (state.contact.id === contactId) return DONE;
  const { id, orgId, channelId } = command;
  const made = { source: 'contact', origin: 'network' } as const;
  const facts = { id: contactId, orgId, phone: '', profileName: null, ...made };
  const contact = await conversation.ensureContact(facts, context);
  const other = conversationId(conversation.parts.environment.ids, channelId, contact.id);
  if (other === conversation.id) {
    return readdress(conversation, state, { id, contact, numberLeft: null });
  }
  const to = { id: conversation.id, createdAt: state.createdAt };
  const question = { id: `${id}-yield`, type: 'yield', orgId, channelId, to, contact } as const;
  return forwardConversation(other, question);
}

/** Without a conversation here, an entry with `joinedTo` alone is written. */
async function answerYield(
  conversation: Conversation,
  state: ConversationState | null,
  command: YieldConversation,
): Promise<Answer> {
  const { id, orgId, channelId, to, contact } = command;
  if (to.id === conversation.id) return DONE;
  if (state?.joinedTo !== undefined && state.joinedTo !== to.id) {
    return forwardConversation(state.joinedTo, command);
  }
  if (state && isOlder(state, to)) {
    const into = { id: state.id, createdAt: state.createdAt };
    const give: GiveWay = { id: `${id}-give`, type: 'give-way', orgId, channelId, into };
    return forwardConversation(to.id, give);
  }
  if (state?.joinedTo === undefined) {
    const identity = { id: conversation.id, orgId, channelId, contact, networkId: null };
    const now = Math.max(conversation.parts.environment.clock.now(), to.createdAt + 1);
    await commitJoin(conversation, state ?? newConversation(identity, now), { id, into: to.id });
  }
  const same = { orgId, channelId, contact, numberLeft: null };
  return forwardConversation(to.id, { id: `${id}-readdress`, type: 'readdress', ...same });
}

async function giveWay(
  conversation: Conversation,
  state: ConversationState,
  { id, into }: GiveWay,
): Promise<Answer> {
  if (!isOlder(into, state)) throw new TypeError('a conversation gives way to an older one');
  return commitJoin(conversation, state, { id, into: into.id });
}

async function commitJoin(
  conversation: Conversation,
  state: ConversationState,
  { id, into }: { readonly id: string; readonly into: string },
): Promise<Answer> {
  const outbox = state.seq === 0 ? [] : [absorption(state, into)];
  const now = conversation.parts.environment.clock.now();
  const decided = decideJoin(state, { into, outbox }, now);
  if (decided) await conversation.commit(id, decided);
  return DONE;
}

function absorption(state: ConversationState, into: string): OutboxCommand {
  const { orgId, channelId } = state;
  const id = `${state.id}-absorb`;
  const command = { id, type: 'absorb-conversation', orgId, channelId, other: state } as const;
  return outboxCommand({ to: { kind: 'conversation', key: into }, command });
}

async function absorb(
  conversation: Conversation,
  state: ConversationState,
  { id, other }: AbsorbConversation,
): Promise<Answer> {
  const decided = decideAbsorption(state, other, conversation.parts.environment.clock.now());
  if (decided) await conversation.commit(id, decided);
  return DONE;
}

async function readdress(
  conversation: Conversation,
  state: ConversationState,
  { id, contact, numberLeft }: Pick<ReaddressConversation, 'id' | 'contact' | 'numberLeft'>,
): Promise<Answer> {
  const { id: contactId, phone, name } = contact;
  const decided = decideReaddress(
    state,
    { id: contactId, phone, name },
    { numberLeft: (numberLeft ?? '') !== '', now: conversation.parts.environment.clock.now() },
  );
  if (decided) await conversation.commit(id, decided);
  return DONE;
}
