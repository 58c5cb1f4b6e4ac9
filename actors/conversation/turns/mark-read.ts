/**
 * Read marks: a member has opened the conversation, or a program has read a message of it. The
 * contact's network shows it too (D281).
 *
 * 1. A message is read with everything before it. Later messages of the contact stay unread.
 * 2. A change of the conversation takes the mark along in its outbox, so that it survives a crash.
 *    Without a change the mark alone is asked for, once.
 */
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { failure, invalid, renderFailure } from '../../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import type { NamedMessage, Presence } from '../../../shared/ports/network.ts';
import { DONE } from '../../../shared/wire/answer.ts';
import type { ReadMessage } from '../../../shared/wire/commands.ts';
import { outboxCommand } from '../../../shared/wire/outbox.ts';
import type { Appended, ConversationState } from '../../domain/conversation/conversation.ts';
import { decideRead } from '../../domain/conversation/member-actions.ts';
import type { ShowPresence } from '../../model/channel.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import type { Conversation } from './conversation.ts';

/** The network marks so many at once (WAHA, Send seen: 30 of a direct chat). */
const SHOWN_MAX = 30;

/** The decision of a member's reading, with the mark for the network. */
export async function withReadShown(
  conversation: Conversation,
  decided: Appended,
  read: { readonly commandId: string; readonly before: ConversationState },
): Promise<Appended> {
  const { before, commandId } = read;
  const unread = await conversation.log.inbound({ upTo: before.seq, limit: before.unread });
  const shown = presenceOf(before, unread);
  if (shown === null) return decided;
  return { ...decided, outbox: [...decided.outbox, outboxCommand(show(before, commandId, shown))] };
}

/** Answers 200 without a body of its own, 404, or 422 for a message that no contact wrote. */
export async function readMessage(
  conversation: Conversation,
  command: ReadMessage,
  context: TurnContext,
): Promise<Answer> {
  const { log, parts } = conversation;
  const { id, orgId, messageId } = command;
  if (context.repeat && (await conversation.recoverEntry(id))) return DONE;
  const state = (await conversation.load()) ?? (await conversation.reload());
  const entry = await log.entry(messageId, state?.joined);
  if (!state || state.orgId !== orgId || !entry?.message) {
    return renderFailure(failure('message_not_found'));
  }
  if (entry.message.direction !== 'in') {
    return renderFailure(invalid({ path: 'id', message: SENTENCES.onlyInbound }));
  }
  // The log of a joined conversation has its own `seq`: all of its messages come first.
  const upTo = entry.conversationId === conversation.id ? entry.seq : 0;
  const newest = await log.inbound({ upTo: state.seq, limit: state.unread });
  const later = newest.filter(({ seq }) => seq > upTo).length;
  const earlier = newest.filter(({ seq }) => seq < upTo);
  const shown = presenceOf(state, [entry, ...earlier]);
  const marked = shown && show(state, id, shown);
  const decided = decideRead(state, parts.environment.clock.now(), { later });
  if (decided === null) {
    if (marked) void ask(conversation, marked);
    return DONE;
  }
  await conversation.commit(id, {
    ...decided,
    outbox: [...decided.outbox, ...(marked ? [outboxCommand(marked)] : [])],
  });
  return DONE;
}

type Named = Pick<EntryDocument, 'message'>;

/** Null where the network names none of the messages. */
function presenceOf(state: ConversationState, newestFirst: readonly Named[]): Presence | null {
  const [message, ...earlier] = newestFirst.slice(0, SHOWN_MAX).flatMap(namedMessage);
  if (message === undefined) return null;
  const to = state.networkId ?? state.contact.phone;
  return { to, shows: 'read', message, ...(earlier.length === 0 ? {} : { earlier }) };
}

function namedMessage({ message }: Named): NamedMessage[] {
  if (!message?.externalId) return [];
  const { externalId, fullId } = message;
  return [{ externalId, ...(fullId === undefined ? {} : { fullId }), fromMe: false }];
}

function show({ channelId }: ConversationState, commandId: string, presence: Presence) {
  const command: ShowPresence = { id: `${commandId}-read`, type: 'show-presence', presence };
  return { to: { kind: 'channel', key: channelId }, command } as const;
}

/** Never rejects. */
async function ask(
  { parts }: Conversation,
  { to, command }: ReturnType<typeof show>,
): Promise<void> {
  const { bus, clock, log } = parts.environment;
  try {
    await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
  } catch (fault) {
    log.warn({ channelId: to.key, error: describe(fault) }, 'presence not shown');
  }
}
