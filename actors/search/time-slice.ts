/** Time slices of long work: between two of them the event loop is free for other work. */
import type { Clock } from '../../shared/ports/clock.ts';
import { sleep } from '../runtime/repeat.ts';

const SLICE_MS = 4;

export interface TimeSlice {
  /** Whether the slice has lasted its time. */
  isOver(): boolean;
  /** Resolves after other work had its turn; the next slice begins. */
  next(): Promise<void>;
}

export function startTimeSlice(clock: Pick<Clock, 'monotonic' | 'after'>): TimeSlice {
  let begunAt = clock.monotonic();
  return {
    isOver: () => clock.monotonic() - begunAt >= SLICE_MS,
    async next() {
      await sleep(clock, 0);
      begunAt = clock.monotonic();
    },
  };
}
