/** For how long a desk has nothing to look at. */
import { AGAIN_MS } from './alarm.ts';
import type { Bench } from './bench.ts';

/** How long nothing is to be done: a retry, a probe; null when nothing waits for its time. */
export function idleMs({ world, tray, breaker }: Bench, enabled: boolean): number | null {
  const now = world.clock.now();
  // What could not be taken up just now is looked at again.
  const again = breaker.series !== null && !breaker.open ? now + AGAIN_MS : null;
  const times = [tray.nextAt(), enabled ? (breaker.nextProbeAt(now) ?? again) : null]
    .filter((at) => at !== null)
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) - now : null;
}
