/** Waits for facts by asking again: no test sleeps for a fixed time and hopes. */
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 15;
const PATIENCE_MS = 30_000;

export interface Waiting {
  /** What was waited for, in the error. */
  readonly what: string;
  readonly patienceMs?: number;
}

/**
 * Asks until the answer is neither false, null nor undefined, and gives it back.
 * @throws {Error} naming `what` when it does not come about
 */
export async function waitFor<T>(
  ask: () => T | Promise<T>,
  { what, patienceMs = PATIENCE_MS }: Waiting,
): Promise<Exclude<T, false | null | undefined>> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (isThere(answer)) return answer;
    if (performance.now() > giveUpAt) throw new Error(`it did not come about: ${what}`);
    await pause(POLL_MS);
  }
}

function isThere<T>(answer: T): answer is Exclude<T, false | null | undefined> {
  return answer !== false && answer !== null && answer !== undefined;
}
