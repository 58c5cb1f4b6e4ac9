/** Waits for a server that is missing, with a log line that says so. */
import pRetry from 'p-retry';
import type { Log } from '../../shared/ports.ts';

const RETRY_MS = 100;
const LOG_EVERY_MS = 2_000;

/** Tries until it works. @param what the server, as the log line names it */
export function patiently<T>(what: string, log: Log, attempt: () => Promise<T>): Promise<T> {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return pRetry(attempt, {
    retries: Number.POSITIVE_INFINITY,
    factor: 1,
    minTimeout: RETRY_MS,
    maxTimeout: RETRY_MS,
    onFailedAttempt: ({ error }) => {
      if (performance.now() - loggedAt < LOG_EVERY_MS) return;
      loggedAt = performance.now();
      log.warn({ error: String(error) }, `waiting for ${what}`);
    },
    // A driver's TypeError while its server is away is no reason to give up.
    shouldRetry: () => true,
  });
}
