/** Waits for facts by asking again: no test sleeps for a fixed time and hopes. */
import { setTimeout as pause } from 'node:timers/promises';

const LEAST_PAUSE_MS = 15;
/** A pause grows to a tenth of the wait so far, up to this. */
const LONGEST_PAUSE_MS = 250;
/** Reached by failures alone: it costs nothing where a machine is quick. */
const TIMEOUT_MS = 180_000;

export interface Waiting {
  /** Names the awaited fact, in the error; a function is asked only then. */
  readonly what: string | (() => string);
  readonly timeoutMs?: number;
}

/**
 * Asks until the answer is neither false, null nor undefined, and gives it back.
 * @throws {Error} naming `what` when it does not come about
 */
export async function waitFor<T>(
  ask: () => T | Promise<T>,
  { what, timeoutMs = TIMEOUT_MS }: Waiting,
): Promise<Exclude<T, false | null | undefined>> {
  const startedAt = performance.now();
  for (;;) {
    const askedAt = performance.now();
    const answer = await ask();
    if (isThere(answer)) return answer;
    const now = performance.now();
    if (now > startedAt + timeoutMs) {
      throw new Error(`it did not come about: ${typeof what === 'string' ? what : what()}`);
    }
    await pause(pauseMs(now - startedAt, now - askedAt));
  }
}

/** Like `waitFor`, with the fact first. */
export function waitUntil<T>(what: Waiting['what'], ask: () => T | Promise<T>) {
  return waitFor(ask, { what });
}

/**
 * An ask that takes long, as a program's start does, leaves the machine to the service for twice
 * that time.
 */
function pauseMs(waitedMs: number, askTookMs: number): number {
  const paced = Math.min(waitedMs / 10, LONGEST_PAUSE_MS);
  return Math.max(LEAST_PAUSE_MS, paced, Math.min(2 * askTookMs, 1_000));
}

function isThere<T>(answer: T): answer is Exclude<T, false | null | undefined> {
  return answer !== false && answer !== null && answer !== undefined;
}
