/**
 * Actions of members in a conversation: note, reply, assignment, pause, resolution, reading (D11,
 * D12, D21).
 *
 * 1. A decision that changes something appends exactly one entry. A decision that changes nothing
 *    is null and appends none (I5).
 * 2. Only a note and a reply contain a message. A note does not move `lastMessageAt`, nor does an
 *    entry without a message.
 * 3. A member who answers, notes or is assigned becomes a participant.
 */

import { isSame } from '../is-same.ts';
import {
  type Accepted,
  type Appended,
  appendEntry,
  appendNote,
  type ConversationState,
  decideSend,
} from './conversation.ts';
import type { DraftContent } from './outbound-content.ts';

/** A member. */
export type Author = { readonly id: string; readonly name: string };

type MemberText = { readonly author: Author; readonly text: string };

export function decideNote(
  state: ConversationState,
  memberText: MemberText,
  now: number,
): Accepted {
  const author = { kind: 'member', label: memberText.author.name } as const;
  const { id: memberId } = memberText.author;
  const note = { text: memberText.text, author, memberId, origin: 'panel' } as const;
  return appendNote(withParticipant(state, memberId), note, now);
}

interface KeyNote {
  readonly keyName: string;
  readonly text: string;
  readonly origin: 'api' | 'assistant';
}

/** No member has read or written: unread and participants stay as well. */
export function decideKeyNote(
  state: ConversationState,
  { keyName, text, origin }: KeyNote,
  now: number,
): Accepted {
  const author = { kind: 'automation', label: keyName } as const;
  const noted = appendNote(state, { text, author, origin }, now);
  return { ...noted, state: { ...noted.state, unread: state.unread } };
}

/** With a file, the text is its caption, or null. */
interface Reply extends Partial<DraftContent> {
  readonly author: Author;
  readonly text: string | null;
  readonly pauseMs: number;
}

/** Sent like any message; a person's answer pauses automation and ends no run. */
export function decideReply(state: ConversationState, reply: Reply, now: number): Accepted {
  const { author, pauseMs, kind = 'text', media = null, ...content } = reply;
  const draft = { ...content, kind, media, authorLabel: author.name };
  const sent = decideSend(withParticipant(state, author.id), { ...draft, origin: 'panel' }, now);
  const paused = Math.max(state.automationPausedUntil ?? 0, now + pauseMs);
  const by = { author: { kind: 'member', label: author.name }, memberId: author.id } as const;
  const message = { ...sent.message, ...by };
  return { ...sent, message, state: { ...sent.state, automationPausedUntil: paused } };
}

/** @param memberId null: no member */
export function assigned(state: ConversationState, memberId: string | null): ConversationState {
  const joined = memberId === null ? state : withParticipant(state, memberId);
  return { ...joined, assignedTo: memberId };
}

export function decideAssign(state: ConversationState, memberId: string | null, now: number) {
  return state.assignedTo === memberId ? null : appendEntry(assigned(state, memberId), now);
}

/** An assigned member may leave the participants and stay assigned. */
export function decideParticipants(
  state: ConversationState,
  change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  now: number,
): Appended | null {
  const remaining = state.participants.filter((id) => !change.remove.includes(id));
  const participants = [...new Set([...remaining, ...change.add])];
  if (isSame(participants, state.participants)) return null;
  return appendEntry({ ...state, participants }, now);
}

/** Several properties at once; what it does not name stays. */
export interface ConversationChange {
  readonly assignedTo?: string | null | undefined;
  /** All of them; who is assigned anew joins them. */
  readonly participants?: readonly string[] | undefined;
  /** `open` concerns a resolved conversation alone. */
  readonly status?: 'open' | 'resolved' | undefined;
  readonly pausedUntil?: number | null | undefined;
}

/** One entry for all of it. */
export function decideChange(
  state: ConversationState,
  change: ConversationChange,
  now: number,
): Appended | null {
  const { assignedTo = state.assignedTo, participants = state.participants, status } = change;
  const { pausedUntil: automationPausedUntil = state.automationPausedUntil } = change;
  const named = { ...state, participants: [...new Set(participants)], automationPausedUntil };
  const given = assignedTo === state.assignedTo ? named : assigned(named, assignedTo);
  const isOther = status === 'open' ? state.status === 'resolved' : status !== undefined;
  const next = isOther && status !== undefined ? { ...given, status } : given;
  return isSame(next, state) ? null : appendEntry(next, now);
}

/** As people's log has it: by the one thing that a change names; null where it names several. */
export function namedOperation(change: ConversationChange): string | null {
  const { assignedTo, participants, status, pausedUntil } = change;
  const operations = [
    assignedTo === undefined ? null : 'assignConversation',
    participants === undefined ? null : 'changeParticipants',
    status && (status === 'open' ? 'reopenConversation' : 'resolveConversation'),
    pausedUntil && 'pauseAutomation',
    pausedUntil === null ? 'resumeAutomation' : null,
  ].filter((each) => typeof each === 'string');
  return operations.length === 1 ? (operations[0] ?? null) : null;
}

/** An explicit pause may also shorten the current one. */
export function decidePause(state: ConversationState, forMs: number, now: number): Appended {
  return appendEntry({ ...state, automationPausedUntil: now + forMs }, now);
}

export function decideResume(state: ConversationState, now: number): Appended | null {
  if (state.automationPausedUntil === null) return null;
  return appendEntry({ ...state, automationPausedUntil: null }, now);
}

/** Assignment and pause stay; the contact's next message sets the status to `open` again. */
export function decideResolve(state: ConversationState, now: number): Appended | null {
  return state.status === 'resolved' ? null : appendEntry({ ...state, status: 'resolved' }, now);
}

/** Only a resolved conversation is opened: one that is open or in a flow stays as it is. */
export function decideReopen(state: ConversationState, now: number): Appended | null {
  return state.status === 'resolved' ? appendEntry({ ...state, status: 'open' }, now) : null;
}

/**
 * The messages of the contact so far have been read.
 * @param later how many of them follow the last one that was read
 */
export function decideRead(
  state: ConversationState,
  now: number,
  { later = 0 }: { readonly later?: number } = {},
): Appended | null {
  const unread = Math.min(state.unread, later);
  return state.unread === unread ? null : appendEntry({ ...state, unread }, now);
}

function withParticipant(state: ConversationState, memberId: string): ConversationState {
  if (state.participants.includes(memberId)) return state;
  return { ...state, participants: [...state.participants, memberId] };
}
