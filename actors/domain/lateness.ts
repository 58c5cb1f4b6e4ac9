/**
 * How late a contact's message reaches us. A late one starts no flow: its author does not expect an
 * automatic answer any more. It is a message all the same, and an answer to a run (D409).
 *
 * 1. It is the time from the network's time of the message to its arrival. Whether the network held
 *    the message, or repeated its webhook for hours, makes no difference.
 * 2. What a clock explains is no lateness: a network that is behind our clock stamps every message
 *    as old. An explanation only shortens it, for a clock that is off must silence no greeting.
 * 3. A report that was made before its message shows that the bridge does not stamp messages by its
 *    own clock. Then this clock explains nothing.
 */

export const LATE_AFTER_MS = 15 * 60_000;

/** Networks report messages in whole seconds. */
const SECOND_MS = 1_000;

/** Times are epoch milliseconds. */
export interface Arrival {
  /** When the message was written, by the network. */
  readonly writtenAt: number;
  /** By our clock. */
  readonly arrivedAt: number;
  /** When the bridge made its report, by its clock; absent where a report has no such time. */
  readonly reportedAt?: number | undefined;
  /** How far the clock of its last answer was behind ours; null while that is unknown. */
  readonly behindMs: number | null;
}

export function latenessMs({ writtenAt, arrivedAt, reportedAt, behindMs }: Arrival): number {
  const age = arrivedAt - writtenAt;
  const hasOwnClock = reportedAt !== undefined && reportedAt < writtenAt - SECOND_MS;
  return hasOwnClock ? age : age - Math.max(0, behindMs ?? 0);
}

export function isLate(arrival: Arrival): boolean {
  return latenessMs(arrival) > LATE_AFTER_MS;
}

/** The message looks late, and is not: the clocks of the network and of this machine differ. */
export function isLateByClock(arrival: Arrival): boolean {
  return !isLate(arrival) && isLate({ ...arrival, behindMs: null });
}
