/**
 * Merge of two conversations of one person on one channel: the older one stays (D142).
 *
 * 1. The younger one keeps its entries, in their order, and appends no more. Receipts still find
 *    their messages, and queued messages are sent as accepted.
 * 2. The older one counts and lists the messages of both. A run under way continues in it, unless
 *    it has one of its own.
 * 3. A decision that is repeated on its own result is null and appends nothing.
 */
import type { OutboxItem } from '../../../shared/wire/outbox.ts';
import { laterOf } from '../identity.ts';
import {
  type Appended,
  appendEntry,
  type ConversationContact,
  type ConversationState,
  withHistoryAt,
} from './conversation.ts';
import { historyTime } from './history-order.ts';
import { laterWindow, leaveNumber } from './window.ts';

type Aged = Pick<ConversationState, 'id' | 'createdAt'>;

/** Whether `a` stays when both are merged. */
export function isOlder(a: Aged, b: Aged): boolean {
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id);
}

/** @param outbox commands that let the older one absorb this one */
export function decideJoin(
  state: ConversationState,
  { into, outbox }: { readonly into: string; readonly outbox: readonly OutboxItem[] },
  now: number,
): Appended | null {
  if (state.joinedTo !== undefined) return null;
  const { run } = state;
  const status = run ? 'open' : state.status;
  const rest = { ...state, status, run: null, unread: 0, joinedTo: into } as const;
  return appendEntry(rest, now, outbox);
}

export function decideAbsorption(state: ConversationState, other: ConversationState, now: number) {
  if (state.joined?.includes(other.id)) return null;
  const latest = other.lastMessageAt > state.lastMessageAt ? other : state;
  const run = state.run ?? other.run;
  const joined = [...(state.joined ?? []), ...(other.joined ?? []), other.id];
  const { lastMessageSeq: own, ...known } = state;
  const lastInboundAt = Math.max(state.lastInboundAt ?? 0, other.lastInboundAt ?? 0);
  // Open where either one is open.
  const status = state.status === 'resolved' && other.status === 'resolved' ? 'resolved' : 'open';
  const next: ConversationState = {
    ...known,
    joined: [...new Set(joined)],
    run,
    status: run ? 'in_flow' : status,
    networkId: latest.networkId ?? state.networkId ?? other.networkId,
    assignedTo: state.assignedTo ?? other.assignedTo,
    participants: [...new Set([...state.participants, ...other.participants])],
    unread: state.unread + other.unread,
    lastMessageAt: latest.lastMessageAt,
    lastMessagePreview: latest.lastMessagePreview,
    ...(latest === state && own !== undefined ? { lastMessageSeq: own } : {}),
    automationPausedUntil: laterOf(state.automationPausedUntil, other.automationPausedUntil),
    messages: state.messages + other.messages,
    notes: state.notes + other.notes,
    received: state.received + other.received,
    ...(lastInboundAt > 0 ? { lastInboundAt } : {}),
    ...laterWindow(state, other),
  };
  const newest = Math.max(historyTime(state), historyTime(other));
  return appendEntry(withHistoryAt(next, newest), now);
}

/** The network id of a number that the contact has left belongs to another person from now on. */
export function decideReaddress(
  state: ConversationState,
  contact: ConversationContact,
  { numberLeft, now }: { readonly numberLeft: boolean; readonly now: number },
): Appended | null {
  const { id, phone, name } = state.contact;
  const same = id === contact.id && phone === contact.phone && name === contact.name;
  if (same && !(numberLeft && state.networkId !== null)) return null;
  if (!numberLeft) return appendEntry({ ...state, contact }, now);
  return appendEntry({ ...state, contact, networkId: null, ...leaveNumber(state) }, now);
}
