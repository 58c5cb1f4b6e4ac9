/** Context that all parts of one subscription's delivery worker share. */
import type { DeliveryState } from '../domain/delivery.ts';
import type { Environment } from '../environment.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { BreakerRecord } from './breaker-record.ts';
import { commit } from './commit.ts';
import type { ConfigurationSource } from './configuration.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { changed, type DeliveryDocument, deliveryWrite } from './documents.ts';
import type { RecentRevisions } from './recent-revisions.ts';

/** A worker with fewer queued deliveries reads more. */
export const LOW_WATER = 100;

export interface DeliveryContext {
  readonly environment: Environment;
  readonly subscriptionId: string;
  /** The epoch under which this process owns the partition. */
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

/** Writes deliveries that leave the worker; older versions of them are stale from now on. */
export async function writeBack(
  { environment, revisions }: DeliveryContext,
  deliveries: readonly DeliveryDocument[],
): Promise<void> {
  if (deliveries.length === 0) return;
  for (const delivery of deliveries) revisions.remember(delivery);
  await commit(environment, deliveries.map(deliveryWrite));
}
