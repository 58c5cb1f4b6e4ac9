/** Long work in slices: between two of them the event loop belongs to everybody else. */
import type { Clock } from '../../shared/ports.ts';

const SLICE_MS = 4;

export interface Pace {
  /** Whether the slice has lasted long enough. */
  due(): boolean;
  /** Resolves when everybody else has had a turn; the next slice begins. */
  pause(): Promise<void>;
}

export function paceOf(clock: Pick<Clock, 'monotonic' | 'after'>): Pace {
  let begunAt = clock.monotonic();
  return {
    due: () => clock.monotonic() - begunAt >= SLICE_MS,
    async pause() {
      await new Promise<void>((resume) => clock.after(0, resume));
      begunAt = clock.monotonic();
    },
  };
}
