/** A delivery in MongoDB: one event for one subscription, with the bytes of every attempt. */
import type { Document, Write } from '../../shared/ports.ts';
import type { DeliveryState } from '../domain/delivery.ts';

export interface DeliveryDocument extends Document, DeliveryState {
  readonly orgId: string;
  readonly subscriptionId: string;
  /** Of the subscription's actor. */
  readonly partition: number;
  readonly event: string;
  /** The very bytes that are signed and sent. */
  readonly body: string;
  readonly createdAt: number;
  /** Compared and raised by every change. */
  readonly revision: number;
}

/** With `upsert`, a stale revision shows as a duplicate instead of silently matching nothing. */
export function deliveryWrite(delivery: DeliveryDocument, next: DeliveryState): Write {
  return {
    update: 'deliveries',
    filter: { _id: delivery._id, revision: delivery.revision },
    change: { $set: { ...mutable(next), revision: delivery.revision + 1 } },
    upsert: true,
  };
}

export function changed(delivery: DeliveryDocument, next: DeliveryState): DeliveryDocument {
  return { ...delivery, ...mutable(next), revision: delivery.revision + 1 };
}

function mutable(state: DeliveryState): DeliveryState {
  const { status, counted, attempts, underWay, nextAttemptAt, lastWaitMs, byHand } = state;
  return { status, counted, attempts, underWay, nextAttemptAt, lastWaitMs, byHand };
}
