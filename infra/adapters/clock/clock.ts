/** The machine's own clock and chance. */
import { performance } from 'node:perf_hooks';
import type { Clock, Random } from '../../../shared/ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = { unit: () => Math.random() };
