/** Time at which a network's message was written, by our clock. */

const JUST_NOW_MS = 5_000;

/**
 * Epoch milliseconds. The networks report whole seconds: for a recent message our own clock is
 * finer.
 */
export function networkTime(at: number, now: number): number {
  return now - at < JUST_NOW_MS ? now : at;
}
