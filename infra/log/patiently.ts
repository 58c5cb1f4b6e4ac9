/** Waits for a server that is missing, with log lines that say so. */
import pRetry from 'p-retry';
import type { Log } from '../../shared/ports.ts';
import { systemClock } from '../clock/clock.ts';
import { type Awaited, Waiting } from './waiting.ts';

const RETRY_MS = 100;

/** Tells a process's log of the wait. */
export function loggedWaiting(server: Awaited, log: Log): Waiting {
  const { where } = server;
  return new Waiting(server, {
    clock: systemClock,
    waiting: (sentence) => log.warn({ where }, sentence),
    over: (sentence) => log.info({ where }, sentence),
  });
}

/** Tries until it works. */
export async function patiently<T>(
  server: Awaited,
  log: Log,
  attempt: () => Promise<T>,
): Promise<T> {
  const waiting = loggedWaiting(server, log);
  const done = await pRetry(attempt, {
    retries: Number.POSITIVE_INFINITY,
    factor: 1,
    minTimeout: RETRY_MS,
    maxTimeout: RETRY_MS,
    onFailedAttempt: ({ error }) => waiting.failed(error),
    // A driver's TypeError while its server is away is no reason to give up.
    shouldRetry: () => true,
  });
  waiting.answered();
  return done;
}
