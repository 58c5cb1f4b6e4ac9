/** The machine's clock, for tests with real sockets. */
import type { Clock } from '../../../../../shared/ports/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
