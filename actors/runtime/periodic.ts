/**
 * Periodic work of a process, such as a fallback poll.
 *
 * 1. Either a run is under way or the next one is armed. A run that throws, rejects or returns
 *    early arms the next as one that succeeds does.
 * 2. One run at a time: the wait is counted from the end of the run before.
 */
import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import { describe } from './describe-fault.ts';

export interface Periodic {
  /** Delay of the first run, milliseconds. */
  readonly firstMs: number;
  /** Called at the end of each run: milliseconds to the next. */
  readonly everyMs: () => number;
  readonly failed: string;
  readonly run: () => Promise<void>;
}

/** Runs for as long as the process lives. */
export function runPeriodically(
  { clock, log }: { readonly clock: Pick<Clock, 'after'>; readonly log: Pick<Log, 'warn'> },
  { firstMs, everyMs, failed, run }: Periodic,
): void {
  const runOnce = async (): Promise<void> => {
    try {
      await run();
    } catch (cause) {
      log.warn({ error: describe(cause) }, failed);
    } finally {
      arm(everyMs());
    }
  };
  const arm = (ms: number): void => void clock.after(ms, () => void runOnce());
  arm(firstMs);
}
