/** What a contact does without a message: nothing to read, but it opens the window (C2.3). */
import { type Appended, appendEntry, type ConversationState } from './conversation.ts';
import { openWindow } from './window.ts';

/**
 * An entry without a message; it begins a conversation that has no other. Null where the window is
 * as late already: a network reports one call several times.
 */
export function decideCall(
  state: ConversationState,
  call: { readonly at: number; readonly networkId: string },
  now: number,
): Appended | null {
  const opened = openWindow(state, call.at);
  if (state.seq > 0 && opened.windowFrom === state.windowFrom) return null;
  return appendEntry({ ...state, ...opened, networkId: call.networkId }, now);
}

/** The same of the first opening of a chat, which always has an entry: its flow starts once. */
export function decideWelcome(
  state: ConversationState,
  opening: { readonly at: number; readonly networkId: string },
  now: number,
): Appended {
  const opened = openWindow(state, opening.at);
  return appendEntry({ ...state, ...opened, networkId: opening.networkId }, now);
}
