/** For how long a desk has nothing to look at. */

import type { DeliveryContext } from './delivery-context.ts';
import { AGAIN_MS } from './wake-timer.ts';

/** How long nothing is to be done: a retry, a probe; null when nothing waits for its time. */
export function nextDueMs(
  { environment, queue, breaker }: DeliveryContext,
  enabled: boolean,
): number | null {
  const now = environment.clock.now();
  // What could not be taken up just now is looked at again.
  const again = breaker.series !== null && !breaker.open ? now + AGAIN_MS : null;
  const times = [queue.nextDueAt(), enabled ? (breaker.nextProbeAt(now) ?? again) : null]
    .filter((at) => at !== null)
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) - now : null;
}
