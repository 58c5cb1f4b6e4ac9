/** Both ends of a role's process: of a fault that nothing caught, and of a signal to stop. */
import type { Log } from '../../../shared/ports/log.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Logs an uncaught fault, and exits with 1. */
export function exitOnFault(log: Log): void {
  const exit = (cause: unknown): void => {
    const error = String(cause instanceof Error ? cause.stack : cause);
    log.error({ error }, 'uncaught fault, exiting');
    process.exit(1);
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}

interface Stop {
  readonly log: Log;
  /** The process exits then, even with open handles. */
  readonly exitMs: number;
  /** In the log line. */
  readonly message: string;
}

/** Stops once, at the first signal; exits with 1 where `stop` fails. */
export function stopOnSignal({ log, exitMs, message }: Stop, stop: () => Promise<void>): void {
  let stopping = false;
  const begin = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, message);
    setTimeout(() => process.exit(0), exitMs).unref();
    stop().then(
      () => process.exit(0),
      (cause: unknown) => {
        log.error({ error: String(cause) }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, () => begin(signal));
}
