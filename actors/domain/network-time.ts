/** When a network's message was written, in our time. */

const JUST_NOW_MS = 5_000;

/**
 * The networks tell whole seconds: what has just happened is told by our own finer clock.
 * Epoch milliseconds.
 */
export function networkTime(at: number, now: number): number {
  return now - at < JUST_NOW_MS ? now : at;
}
