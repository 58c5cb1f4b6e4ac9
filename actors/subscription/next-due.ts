/** Milliseconds until the next work of a delivery worker is due. */

import type { DeliveryContext } from './delivery-context.ts';
import { AGAIN_MS } from './wake-timer.ts';

/** Milliseconds until the next retry or probe; null when nothing waits for its time. */
export function nextDueMs(
  { environment, queue, breaker }: DeliveryContext,
  enabled: boolean,
): number | null {
  const now = environment.clock.now();
  // A page that could not be unparked now is tried again.
  const again = breaker.series !== null && !breaker.open ? now + AGAIN_MS : null;
  const times = [queue.nextDueAt(), enabled ? (breaker.nextProbeAt(now) ?? again) : null]
    .filter((at) => at !== null)
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) - now : null;
}
