/** What everything that is done for one subscription works on. */
import type { DeliveryState } from '../domain/delivery.ts';
import type { World } from '../world.ts';
import type { BreakerRecord } from './breaker-record.ts';
import type { ClaimLog } from './claim-log.ts';
import { commit } from './commit.ts';
import type { SubscriptionSource } from './configuration.ts';
import { changed, type DeliveryDocument, deliveryWrite } from './documents.ts';
import type { Settled } from './settled.ts';
import type { Tray } from './tray.ts';

/** With fewer deliveries than these in hand a desk takes up more. */
export const LOW_WATER = 100;

export interface Bench {
  readonly world: World;
  readonly subscriptionId: string;
  /** Under which the partition is owned. */
  readonly epoch: number;
  readonly settled: Settled;
  readonly claims: ClaimLog;
  readonly tray: Tray;
  readonly source: SubscriptionSource;
  readonly breaker: BreakerRecord;
  /** Whether this process may still act for the subscription. */
  readonly acting: () => boolean;
}

/** The delivery after a decision that is made now. */
export function change(
  { world, epoch }: Bench,
  delivery: DeliveryDocument,
  next: DeliveryState,
): DeliveryDocument {
  return changed(delivery, next, { epoch, now: world.clock.now() });
}

/** Writes deliveries that leave the desk; an older picture of them is no news from now on. */
export async function setAside(
  { world, settled }: Bench,
  deliveries: readonly DeliveryDocument[],
): Promise<void> {
  if (deliveries.length === 0) return;
  for (const delivery of deliveries) settled.note(delivery);
  await commit(world, deliveries.map(deliveryWrite));
}
