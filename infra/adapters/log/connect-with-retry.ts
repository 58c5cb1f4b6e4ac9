/** Connects with retries while a server is missing, and logs the wait. */
import pRetry from 'p-retry';
import type { Log } from '../../../shared/ports/log.ts';
import { systemClock } from '../clock/clock.ts';
import { type AwaitedServer, WaitReporter } from './wait-reporter.ts';

const RETRY_MS = 100;

/** Logs the wait to the log of a process. */
export function loggedWaitReporter(server: AwaitedServer, log: Log): WaitReporter {
  const { where } = server;
  return new WaitReporter(server, {
    clock: systemClock,
    onWait: (sentence) => log.warn({ where }, sentence),
    onAnswered: (sentence) => log.info({ where }, sentence),
  });
}

export interface Waiting<T> {
  readonly log: Log;
  /** Ends the tries. */
  readonly signal?: AbortSignal;
  /** Closes what an attempt has opened after the tries were ended. */
  readonly discard?: (opened: T) => Promise<unknown>;
}

/** Tries until it works, or `signal` is aborted: then it throws the reason. */
export async function connectWithRetry<T>(
  server: AwaitedServer,
  { log, signal, discard }: Waiting<T>,
  attempt: () => Promise<T>,
): Promise<T> {
  const waitReporter = loggedWaitReporter(server, log);
  const keep = async (): Promise<T> => {
    const opened = await attempt();
    if (signal?.aborted) await discard?.(opened);
    return opened;
  };
  try {
    const done = await pRetry(keep, {
      retries: Number.POSITIVE_INFINITY,
      factor: 1,
      minTimeout: RETRY_MS,
      maxTimeout: RETRY_MS,
      onFailedAttempt: ({ error }) => waitReporter.failed(error),
      // A driver's TypeError while its server is away does not end the retries.
      shouldRetry: () => true,
      ...(signal && { signal }),
    });
    waitReporter.answered();
    return done;
  } finally {
    waitReporter.stop();
  }
}
