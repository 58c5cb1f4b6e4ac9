/** What everything that is done for one subscription works on. */
import type { CommitOptions, Write } from '../../shared/ports.ts';
import type { DeliveryState } from '../domain/delivery.ts';
import type { World } from '../world.ts';
import type { BreakerRecord } from './breaker-record.ts';
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

/** Throws what the store said against any of the writes. */
export async function commit(
  { store }: World,
  writes: readonly Write[],
  options?: CommitOptions,
): Promise<void> {
  for (const outcome of await store.commit(writes, options)) {
    if (outcome.ok) continue;
    throw 'error' in outcome ? outcome.error : new Error(`taken already: ${outcome.duplicate}`);
  }
}
