/**
 * Waits until subscribers that hang no longer have an effect: their attempts have ended, their
 * breakers are open, and their waiting deliveries are parked. That is work for the store, and would
 * disturb the next measurement.
 */
import type { Collection } from 'mongodb';
import { DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION } from '../../../shared/limits.ts';

const POLL_MS = 500;
const TIMEOUT_MS = 60_000;
/** Of each: those that ended first wait for their retry, and their replacements are in flight. */
const LEFT_MAX = 2 * DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION;

export async function untilParked(
  deliveries: Collection,
  { orgId, hanging }: { readonly orgId: string; readonly hanging: number },
): Promise<void> {
  const filter = { orgId, 'state.status': 'pending' };
  const startedAt = performance.now();
  while ((await deliveries.countDocuments(filter)) > hanging * LEFT_MAX) {
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('no breaker has opened');
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
