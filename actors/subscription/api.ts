import { deliveryId } from '../../shared/entity-ids.ts';
import type { Command } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import type { Document } from '../../shared/ports/store.ts';
import { type Shelved, shelved } from '../../shared/wire/subjects.ts';
import { type DeliveryState, newDelivery, subscribes } from '../domain/delivery.ts';
import { hears, type LiveStream } from '../domain/organization/streams.ts';
import type { Predecessors, PublishedEvent } from '../domain/published-event.ts';

declare module '../../shared/ports/store.ts' {
  interface Collections {
    readonly deliveries: DeliveryDocument;
  }
}

declare module '../../shared/wire/command-map.ts' {
  interface SubscriptionCommands {
    readonly 'record-events': Exchange<RecordEvents, Acknowledged>;
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

/** On the shelf of the subscription's actor. */
export interface DeliveryDocument extends Document, Shelved {
  readonly orgId: string;
  readonly subscriptionId: string;
  readonly event: string;
  /** The exact bytes that are signed and sent. */
  readonly body: string;
  readonly createdAt: number;
  /** The request that caused the event, for the logs. */
  readonly requestId?: string;
  /** Of a stream's delivery: its place among the others, as they were recorded. */
  readonly order?: string;
  /** Of a stream's delivery: which of the streams of this name it is for (`createdAt`). */
  readonly generation?: number;
  /** Of a stream's delivery: the number of its event, which rises with each commit of the entity. */
  readonly number?: string;
  /** Of a stream's delivery: events that go ahead of it, where the stream hears them. */
  readonly after?: Predecessors;
  readonly state: DeliveryRecord;
}

/** The state of a delivery when it is first recorded. */
export function recordedState(now: number, status: 'pending' | 'parked'): DeliveryRecord {
  return { epoch: 0, revision: 1, ...newDelivery(now, status) };
}

/** A stream's key was revoked, or reaches another channel. */
export interface StreamNudge {
  readonly streamId: string;
}

/** Events for a stream, answered once they are on record; those of an ended stream are dropped. */
export interface RecordEvents extends Command {
  readonly type: 'record-events';
  readonly orgId: string;
  /** Which of the streams of this name hears them (`createdAt`). */
  readonly generation: number;
  readonly events: readonly PublishedEvent[];
}

export function isStreamNudge(nudge: DeliveryDocument | StreamNudge): nudge is StreamNudge {
  return !('_id' in nudge);
}

export interface RecordingEnvironment {
  readonly ids: Ids;
  readonly clock: Clock;
}

/** The owner and the subscription of a delivery, and its event. */
export interface Recorded {
  readonly orgId: string;
  readonly subscriptionId: string;
  readonly event: PublishedEvent;
}

/** The delivery of an event, with a derived id: a repeat records no second one. */
export function recordedDelivery(
  { ids, clock }: RecordingEnvironment,
  { orgId, subscriptionId, event: { id, event, requestId, data } }: Recorded,
  status: 'pending' | 'parked' = 'pending',
): DeliveryDocument {
  const now = clock.now();
  return {
    _id: deliveryId(ids, id, subscriptionId),
    ...{ orgId, subscriptionId, ...shelved('subscription', subscriptionId), event },
    ...(requestId === undefined ? {} : { requestId }),
    createdAt: now,
    body: JSON.stringify({ event, data }),
    state: recordedState(now, status),
  };
}

/** Whether the stream gets the event. */
export function isFor(
  stream: LiveStream,
  { event, data }: Pick<PublishedEvent, 'event' | 'data'>,
): boolean {
  return subscribes(stream.events, event) && hears(stream, event, data);
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
