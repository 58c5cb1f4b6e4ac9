/**
 * Actions of the team's members in a conversation: notes, replies, assignment, pauses, resolution.
 *
 * 1. A decision that changes something appends exactly one entry. A decision that changes nothing
 *    is null and appends none (I5).
 * 2. Only a note and a reply contain a message. A note does not move `lastMessageAt`, nor does an
 *    entry without a message.
 * 3. A member who answers, notes or is assigned becomes a participant.
 *
 * D11, D12, D21.
 */
import type { StoredMessage } from '../../shared/message.ts';
import {
  type Accepted,
  type Appended,
  append,
  type ConversationState,
  decideSend,
} from './conversation.ts';

export interface Author {
  /** Id of the member. */
  readonly id: string;
  readonly name: string;
}

export interface MemberText {
  readonly author: Author;
  readonly text: string;
}

/** An internal note: part of the history on request, never sent to the network. */
export function decideNote(state: ConversationState, note: MemberText, now: number): Accepted {
  const message: StoredMessage = {
    revision: 1,
    direction: 'note',
    kind: 'text',
    text: note.text,
    media: null,
    author: { kind: 'member', label: note.author.name },
    status: 'received',
    receipts: { sent: null, delivered: null, read: null },
    externalId: null,
    replyToId: null,
    transcript: null,
    origin: 'panel',
    createdAt: Math.max(state.at, now),
  };
  const noted = append(withParticipant(state, note.author.id), message, now);
  return { state: noted, message, queued: false, outbox: [] };
}

/** Sent like any message; a person's answer pauses automation and ends no run. */
export function decideReply(
  state: ConversationState,
  reply: MemberText & { readonly pauseMs: number },
  now: number,
): Accepted {
  const { author, text, pauseMs } = reply;
  const draft = { text, kind: 'text', media: null, authorLabel: author.name } as const;
  const sent = decideSend(withParticipant(state, author.id), { ...draft, origin: 'panel' }, now);
  const paused = Math.max(state.automationPausedUntil ?? 0, now + pauseMs);
  return {
    ...sent,
    message: { ...sent.message, author: { kind: 'member', label: author.name } },
    state: { ...sent.state, automationPausedUntil: paused },
  };
}

/** @param memberId null: no member */
export function decideAssign(
  state: ConversationState,
  memberId: string | null,
  now: number,
): Appended | null {
  if (state.assignedTo === memberId) return null;
  const joined = memberId === null ? state : withParticipant(state, memberId);
  return step({ ...joined, assignedTo: memberId }, now);
}

/** An assigned member may leave the participants and stay assigned. */
export function decideParticipants(
  state: ConversationState,
  change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  now: number,
): Appended | null {
  const kept = state.participants.filter((id) => !change.remove.includes(id));
  const participants = [...new Set([...kept, ...change.add])];
  const same =
    participants.length === state.participants.length &&
    participants.every((id, index) => id === state.participants[index]);
  return same ? null : step({ ...state, participants }, now);
}

/** An explicit pause may also shorten the current one. */
export function decidePause(state: ConversationState, forMs: number, now: number): Appended {
  return step({ ...state, automationPausedUntil: now + forMs }, now);
}

export function decideResume(state: ConversationState, now: number): Appended | null {
  if (state.automationPausedUntil === null) return null;
  return step({ ...state, automationPausedUntil: null }, now);
}

/** Assignment and pause stay; the contact's next message sets the status to `open` again. */
export function decideResolve(state: ConversationState, now: number): Appended | null {
  return state.status === 'resolved' ? null : step({ ...state, status: 'resolved' }, now);
}

function step(state: ConversationState, now: number): Appended {
  const next = { ...state, seq: state.seq + 1, at: Math.max(state.at, now) };
  return { state: next, queued: false, outbox: [] };
}

function withParticipant(state: ConversationState, memberId: string): ConversationState {
  if (state.participants.includes(memberId)) return state;
  return { ...state, participants: [...state.participants, memberId] };
}
