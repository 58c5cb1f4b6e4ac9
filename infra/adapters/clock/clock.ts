/** The machine's own clock and chance. */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Random } from '../../../shared/ports/random.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = { unit: () => Math.random() };
