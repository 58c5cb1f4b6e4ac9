/** Context of a subscription's delivery worker, for the parts that change its deliveries. */
import type { DeliveryState } from '../../domain/delivery.ts';
import type { Environment } from '../../environment.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { BreakerRecord } from './breaker-record.ts';
import type { ConfigurationSource } from './configuration.ts';
import { changed, commit, deliveryWrite, type RecentRevisions } from './documents.ts';
import { AGAIN_MS } from './outage-series.ts';
import type { DeliveryQueue } from './queue.ts';
import { nextWakeMs } from './worker-state.ts';

/** What the parts of a delivery worker use of the process. */
export type DeliveryEnvironment = Pick<
  Environment,
  | 'bus'
  | 'clock'
  | 'ids'
  | 'leaseHeld'
  | 'log'
  | 'outbound'
  | 'random'
  | 'settings'
  | 'store'
  | 'vault'
>;

export interface DeliveryContext {
  readonly environment: DeliveryEnvironment;
  readonly subscriptionId: string;
  readonly epoch: number;
  readonly revisions: RecentRevisions;
  readonly attemptLog: AttemptLog;
  readonly queue: DeliveryQueue;
  readonly source: ConfigurationSource;
  readonly breaker: BreakerRecord;
  /** Whether this process may still act for the subscription. */
  readonly mayAct: () => boolean;
}

/** The delivery after a decision that is made now. */
export function change(
  { environment, epoch }: DeliveryContext,
  delivery: DeliveryDocument,
  next: DeliveryState,
): DeliveryDocument {
  return changed(delivery, next, { epoch, now: environment.clock.now() });
}

/** Neither held nor remembered in a later state. A repeated publish may insert it again. */
export function isUntracked({ queue, revisions }: DeliveryContext, delivery: DeliveryDocument) {
  return queue.get(delivery._id) === undefined && revisions.isNewer(delivery);
}

/** Writes deliveries that leave the worker; older versions of them are stale from now on. */
export async function writeBack(
  { environment, revisions }: DeliveryContext,
  deliveries: readonly DeliveryDocument[],
): Promise<void> {
  if (deliveries.length === 0) return;
  for (const delivery of deliveries) revisions.remember(delivery);
  await commit(environment, deliveries.map(deliveryWrite));
}

/** Milliseconds until the next retry or probe; null when nothing waits for its time. */
export function nextDueMs({ environment, queue, breaker }: DeliveryContext, enabled: boolean) {
  const now = environment.clock.now();
  // A page that could not be unparked now is tried again.
  const again = breaker.outage.name !== null && !breaker.open ? now + AGAIN_MS : null;
  const probeAt = enabled ? (breaker.nextProbeAt(now) ?? again) : null;
  return nextWakeMs(now, [queue.nextDueAt(), probeAt]);
}
