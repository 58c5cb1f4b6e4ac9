import type { Document } from '../../shared/ports/store.ts';
import { type DeliveryState, newDelivery } from '../domain/delivery.ts';

declare module '../../shared/ports/store.ts' {
  interface Collections {
    readonly deliveries: DeliveryDocument;
  }
}
/** Door of subscriptions: their deliveries as they are recorded, and the claim on insert. */

export interface DeliveryRecord extends DeliveryState {
  /** The epoch of the owner that wrote it; 0 when no worker has changed it. */
  readonly epoch: number;
  readonly revision: number;
  /** The outage under which the breaker parked it (`breaker-record.ts`, 3); absent otherwise. */
  readonly series?: number;
  /** Epoch milliseconds of its success or final failure; absent before. */
  readonly endedAt?: number;
  /** Place in its stream, once it may have been written there; absent otherwise. */
  readonly position?: number;
  /** The first such place of a delivery that was sent again. */
  readonly before?: number;
}

export interface DeliveryDocument extends Document {
  readonly orgId: string;
  readonly subscriptionId: string;
  /** The partition of the subscription's actor. */
  readonly partition: number;
  readonly event: string;
  /** The exact bytes that are signed and sent. */
  readonly body: string;
  readonly createdAt: number;
  /** The request that caused the event, for the logs. */
  readonly requestId?: string;
  /** Of a stream's delivery: its place in the order of the organization's events. */
  readonly order?: string;
  /** Of a stream's delivery: which of the streams of this name it is for (`createdAt`). */
  readonly generation?: number;
  readonly state: DeliveryRecord;
}

/** The state of a delivery when it is first recorded. */
export function recordedState(now: number, status: 'pending' | 'parked'): DeliveryRecord {
  return { epoch: 0, revision: 1, ...newDelivery(now, status) };
}

/** A stream has a new delivery, or another configuration. */
export interface StreamNudge {
  readonly streamId: string;
  /** Its key was revoked, or reaches another channel. */
  readonly isChanged?: true;
}

export function isStreamNudge(nudge: DeliveryDocument | StreamNudge): nudge is StreamNudge {
  return !('_id' in nudge);
}

const EPOCH_DIGITS = 10;
const COUNT_DIGITS = 14;

/**
 * A place in the order of an organization's events, as text that sorts. An entity's next event is
 * fanned out when the one before is recorded: by the same owner, or by one with a higher epoch.
 */
export function fanOutOrder(epoch: number, count: number): string {
  return `${String(epoch).padStart(EPOCH_DIGITS, '0')}.${String(count).padStart(COUNT_DIGITS, '0')}`;
}

export interface ClaimOnInsert {
  /** The document to insert, which contains the claim. */
  readonly delivery: DeliveryDocument;
  /** The caller must call it in any case. True: the insert was made and is journaled. */
  readonly resolveInsert: (inserted: boolean) => void;
}

/** The delivery workers of this process, for the code that records deliveries. */
export interface DeliveryClaimer {
  /** Null: the delivery is to be inserted unclaimed. */
  claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null>;
}
