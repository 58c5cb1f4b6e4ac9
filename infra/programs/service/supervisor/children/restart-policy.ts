/**
 * Restart policy with backoff: a role that died is restarted after 50 ms, then with growing delays
 * up to 3 s. An uptime of 10 s resets the delay (C11.18).
 */

const FIRST_MS = 50;
const LONGEST_MS = 3_000;
const STABLE_AFTER_MS = 10_000;

/** Deaths in a row, this one included, counting only those after a short life. */
export function deathsInARow(before: number, uptimeMs: number): number {
  return uptimeMs >= STABLE_AFTER_MS ? 1 : before + 1;
}

/** The wait before the start that follows the n-th death in a row, milliseconds. */
export function restartDelayMs(deaths: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, deaths - 1));
}
