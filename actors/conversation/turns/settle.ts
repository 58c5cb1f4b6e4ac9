/**
 * Settlement of scheduled messages, in turns of their own conversation (D294).
 *
 * 1. Due messages are settled in the order of their times. Messages of one time follow the order in
 *    which they were written.
 * 2. The settlement is journaled first, then applied to the message's own entry. It stays pending
 *    until then: after a crash the next owner applies it.
 * 3. A conversation that was joined settles the messages of its own log.
 */
import type { StoredMessage } from '../../../shared/message.ts';
import type { AnswerOf } from '../../../shared/ports/bus.ts';
import { answerOf, DONE } from '../../../shared/wire/answer.ts';
import type { Acknowledged } from '../../../shared/wire/command-map.ts';
import { outboxCommand } from '../../../shared/wire/outbox.ts';
import { readAnswering } from '../../contact/opt-outs.ts';
import {
  type Appended,
  appendEntry,
  type ConversationState,
} from '../../domain/conversation/conversation.ts';
import { decideDue, judgeDue, type ScheduledEntry } from '../../domain/conversation/schedule.ts';
import { settlementId } from '../../domain/conversation/settlement.ts';
import type { Store } from '../../model/collections.ts';
import type {
  EntryDocument,
  SettleDue,
  SettledDue,
  ShowReleased,
} from '../../model/conversation.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import { settledEntry, settlementWrite } from '../log/documents.ts';
import { readDueFacts } from '../schedule/due-facts.ts';
import type { Conversation } from './conversation.ts';

/** Messages of one turn: other commands of the conversation wait for it. */
const SETTLED_AT_ONCE = 10;
/** A turn ends so long before its deadline. */
const RESERVE_MS = 3_000;

async function settleDue(
  conversation: Conversation,
  _command: SettleDue,
  { deadline }: TurnContext,
): Promise<AnswerOf<SettledDue>> {
  const { store, clock } = conversation.parts.environment;
  const filter = { conversationId: conversation.id, due: { $exists: true } };
  const soonest = { sort: { 'due.at': 1, seq: 1 }, limit: SETTLED_AT_ONCE + 1 } as const;
  const scheduled = await store.find('entries', filter, soonest);
  for (const entry of scheduled.slice(0, SETTLED_AT_ONCE)) {
    const hasTime = clock.now() < deadline - RESERVE_MS;
    if (!hasTime || !(await settleOne(conversation, entry))) return nextAt(entry);
  }
  return nextAt(scheduled[SETTLED_AT_ONCE]);
}

function nextAt(entry: EntryDocument | undefined): AnswerOf<SettledDue> {
  return answerOf({ next: entry?.due?.at ?? null });
}

/** False where the time of the message has not come. */
async function settleOne(conversation: Conversation, entry: EntryDocument): Promise<boolean> {
  const { environment } = conversation.parts;
  const scheduled = scheduledIn(entry);
  const state = await loadedState(conversation);
  const joinedTo = state.joinedTo === undefined ? null : state.joinedTo;
  const answering =
    joinedTo === null ? state : ((await readAnswering(environment.store, joinedTo)) ?? state);
  const facts = await readDueFacts(environment, answering, scheduled.message);
  const verdict = judgeDue(scheduled.message, facts);
  if (verdict === null) return false;
  const to = answering.networkId ?? answering.contact.phone;
  const decided = decideDue(state, scheduled, { ...facts, verdict, to });
  await settle(conversation, entry, shownElsewhere(decided, { joinedTo, messageId: entry._id }));
  return true;
}

export async function loadedState(conversation: Conversation): Promise<ConversationState> {
  const state = (await conversation.load()) ?? (await conversation.reload());
  if (!state) throw new Error('a conversation with a scheduled message is on record');
  return state;
}

/** The conversation that stays shows the message of one that was joined to it. */
function shownElsewhere(
  decided: Appended,
  { joinedTo, messageId }: { readonly joinedTo: string | null; readonly messageId: string },
): Appended {
  if (joinedTo === null || decided.settles?.outcome !== 'released') return decided;
  const { at } = decided.settles;
  const preview = decided.state.lastMessagePreview;
  const command: ShowReleased = { id: `${messageId}-shown`, type: 'show-released', at, preview };
  const item = outboxCommand({ to: { kind: 'conversation', key: joinedTo }, command });
  return { ...decided, outbox: [...decided.outbox, item] };
}

function scheduledIn({ _id: id, seq, message }: EntryDocument): ScheduledEntry {
  if (!message) throw new Error('a scheduled entry has a message');
  return { id, seq, message };
}

/** Commits the settlement and applies it. The settlement that was committed first counts. */
export async function settle(
  conversation: Conversation,
  entry: EntryDocument,
  decided: Appended,
): Promise<EntryDocument> {
  const { store } = conversation.parts.environment;
  const id = settlementId(entry._id);
  const committed = await conversation.commit(id, decided);
  const settlement = committed ?? (await conversation.log.entryAnywhere(id));
  if (!settlement) throw new Error('the settlement is not on record');
  // The first settlement meets the entry as it was read; a known one may be applied already.
  const applied = committed
    ? await applyTo(store, entry, settlement)
    : await applySettlement(store, settlement);
  if (applied) {
    conversation.recent.keep(applied);
    conversation.hint(applied);
    if (applied.send) conversation.nudgeChannel(applied);
  }
  conversation.publish(settlement, settlement.outbox ?? []);
  return settlement;
}

/** Applies a settlement to its message's entry; null where it is applied already. */
export async function applySettlement(
  store: Store,
  settlement: EntryDocument,
): Promise<EntryDocument | null> {
  const { settles } = settlement;
  const entry = settles ? await store.byId('entries', settles.messageId) : null;
  return entry && applyTo(store, entry, settlement);
}

async function applyTo(
  store: Store,
  entry: EntryDocument,
  { seq, settles }: EntryDocument,
): Promise<EntryDocument | null> {
  if (!settles || !isScheduled(entry)) return null;
  const applied = settledEntry(entry, { seq, settles });
  const [outcome] = await store.commit([settlementWrite(applied)]);
  if (!outcome?.ok) throw new Error('the settlement was refused', { cause: outcome });
  return applied;
}

export function isScheduled(
  entry: EntryDocument,
): entry is EntryDocument & { readonly message: StoredMessage } {
  return entry.message?.status === 'scheduled';
}

/** A message of a joined conversation was released: lists show it here. */
async function showReleased(
  conversation: Conversation,
  { id, at, preview }: ShowReleased,
): Promise<AnswerOf<Acknowledged>> {
  const state = (await conversation.load()) ?? (await conversation.reload());
  if (!state || at < state.lastMessageAt) return DONE;
  const { lastMessageSeq: _own, ...known } = state;
  const { clock } = conversation.parts.environment;
  const shown = { ...known, lastMessageAt: at, lastMessagePreview: preview };
  await conversation.commit(id, appendEntry(shown, clock.now()));
  return DONE;
}

export const SCHEDULE_COMMANDS = {
  'settle-due': settleDue,
  'show-released': showReleased,
} as const;
