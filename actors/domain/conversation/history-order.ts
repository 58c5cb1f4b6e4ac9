/**
 * The order of a history: newest first by `createdAt`, or by `releasedAt`, exact to 5 s (D406).
 *
 * 1. A message has the place of its arrival in the log, unless it is more than 5 s older than the
 *    newest of the history. Such a late one has a place of its own, by its time.
 * 2. A scheduled message that is released more than 5 s after it was accepted has the place of its
 *    release, and its time there is `releasedAt` (D407).
 * 3. `historyTime` never falls along a log, and exceeds the time of a message in its order of
 *    arrival by 5 s at most. So both orders are sorted, and every page of their merge is a part of
 *    one list.
 */

/** So exact is the order. */
const LATE_MS = 5_000;

/** Place of an entry in the history where it is not that of its arrival. */
export interface OwnPlace {
  /** Epoch milliseconds. */
  readonly at: number;
  /** `seq` of the entry by which it has the place: its own, or that of its release. */
  readonly seq: number;
}

/** What a conversation's state knows of its history. */
export interface HistoryFacts {
  readonly messages: number;
  readonly notes: number;
  readonly lastMessageAt: number;
  /** Time of the newest entry where that is no last message: a note, a message that waits. */
  readonly historyAt?: number;
  /** Number of entries with a place of their own; absent for none. */
  readonly ownPlaces?: number;
}

/** Time of the newest entry of the history. */
export function historyTime({
  lastMessageAt,
  historyAt = lastMessageAt,
}: Pick<HistoryFacts, 'lastMessageAt' | 'historyAt'>): number {
  return Math.max(lastMessageAt, historyAt);
}

/** Whether a message of this time comes late to the history. */
export function isLate(state: HistoryFacts, createdAt: number): boolean {
  return state.messages + state.notes > 0 && createdAt < historyTime(state) - LATE_MS;
}

/** Whether a scheduled message that is released now leaves its place. */
export function isMoved({ createdAt }: { readonly createdAt: number }, releasedAt: number) {
  return releasedAt > createdAt + LATE_MS;
}

/** The count with one more. */
export function oneMorePlace({ ownPlaces = 0 }: HistoryFacts) {
  return { ownPlaces: ownPlaces + 1 };
}
