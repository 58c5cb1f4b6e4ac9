/** Waits for what follows from a trigger. */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceFailed } from '../service/failure.ts';

const POLL_MS = 100;
/** A paced number sends later than at once. */
const WAIT_MS = 30_000;

/**
 * Asks until the answer is not null.
 * @param what names the awaited fact, in the sentence of the failure
 * @throws {ServiceFailed} when it does not come about in time
 */
export async function untilThere<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() - startedAt >= WAIT_MS) {
      throw new ServiceFailed(`It did not come about within ${WAIT_MS / 1_000} s: ${what}.`);
    }
    await pause(POLL_MS);
  }
}
