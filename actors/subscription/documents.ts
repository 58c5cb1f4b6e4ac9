/**
 * A delivery in MongoDB: one event for one subscription, with the body that every attempt sends.
 *
 * 1. All changing fields are one subdocument, written whole by `$max` under a filter of `_id`
 *    alone. This costs 115 to 135 µs, a compare-and-set 260 to 580 µs. A delivery that succeeds at
 *    once costs it once: its claim is in its insert or in the log.
 * 2. `epoch` and `revision` are its first fields and decide the comparison. A late write of a
 *    superseded owner never replaces its successor's, whatever the order of arrival.
 * 3. The store does not report the loser of such a race. That is safe. Each epoch has one writer,
 *    which makes its changes one after the other (`delivery-worker.ts`). It posts only if its lease
 *    holds *after* the claim was journaled. A successor reads only after that lease has ended. So a
 *    claim that every later owner sees precedes each POST. An insert is a claim only if it created
 *    the document.
 */
import type { Document, Write } from '../../shared/ports/store.ts';
import { type DeliveryState, newDelivery } from '../domain/delivery.ts';

export interface DeliveryRecord extends DeliveryState {
  /** The epoch of the owner that wrote it; 0 when no worker has changed it. */
  readonly epoch: number;
  readonly revision: number;
  /** The outage under which the breaker parked it (`breaker-record.ts`, 3); absent otherwise. */
  readonly series?: number;
  /** Epoch milliseconds of its success or final failure; absent before. */
  readonly endedAt?: number;
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
  readonly state: DeliveryRecord;
}

/** The author and the time of a change. */
export interface Change {
  readonly epoch: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Set when the breaker parks the delivery. */
  readonly series?: number;
}

/** The state of a delivery when it is first recorded. */
export function recordedState(now: number, status: 'pending' | 'parked'): DeliveryRecord {
  return { epoch: 0, revision: 1, ...newDelivery(now, status) };
}

/** The delivery after a decision; its revision is higher than every earlier one. */
export function changed(
  delivery: DeliveryDocument,
  next: DeliveryState,
  { epoch, now, series }: Change,
): DeliveryDocument {
  const { status, counted, attempts, underWay, nextAttemptAt, lastWaitMs, byHand } = next;
  // A failed manual retry restores the parked state, under the same series.
  const isParked = status === 'parked' || byHand?.status === 'parked';
  const under = series ?? delivery.state.series;
  const ended = status === 'succeeded' || status === 'failed';
  const state: DeliveryRecord = {
    epoch,
    revision: delivery.state.revision + 1,
    status,
    counted,
    attempts,
    underWay,
    nextAttemptAt,
    lastWaitMs,
    byHand,
    ...(isParked && under !== undefined ? { series: under } : {}),
    ...(ended ? { endedAt: now } : {}),
  };
  return { ...delivery, state };
}

export function deliveryWrite({ _id, state }: Pick<DeliveryDocument, '_id' | 'state'>): Write {
  return { update: 'deliveries', filter: { _id }, change: { $max: { state } } };
}

/** Whether `known` is a later state of the same delivery than `other`. */
export function isLater(
  known: Pick<DeliveryRecord, 'epoch' | 'revision'>,
  other: Pick<DeliveryRecord, 'epoch' | 'revision'>,
): boolean {
  return known.epoch === other.epoch ? known.revision > other.revision : known.epoch > other.epoch;
}
