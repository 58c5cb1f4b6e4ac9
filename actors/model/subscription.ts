/** Commands to subscriptions, and the documents of deliveries, attempts, streams and breakers. */
import type { Command } from '../../shared/ports/bus.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { Acknowledged, Exchange } from '../../shared/wire/command-map.ts';
import type { Shelved } from '../../shared/wire/subjects.ts';
import type { Breaker } from '../domain/breaker.ts';
import type { DeliveryState } from '../domain/delivery.ts';
import type { Predecessors, PublishedEvent } from '../domain/published-event.ts';

export interface AskedOfSubscriptions {
  readonly 'record-events': Exchange<RecordEvents, Acknowledged>;
}

/** Events for a stream, answered once they are on record; those of an ended stream are dropped. */
export interface RecordEvents extends Command {
  readonly type: 'record-events';
  readonly orgId: string;
  /** Which of the streams of this name hears them (`createdAt`). */
  readonly generation: number;
  readonly events: readonly PublishedEvent[];
}

/** A stream's key was revoked, or reaches another channel. */
export interface StreamNudge {
  readonly streamId: string;
}

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

export interface AttemptLogPage extends Document {
  readonly at: number;
  readonly partitions: readonly number[];
  readonly claims: readonly Pick<DeliveryDocument, '_id' | 'state'>[];
}

/** Positions that a cursor's owner has left out. */
export interface Gap {
  readonly after: number;
  readonly upTo: number;
}

export interface CursorState {
  /** The first two fields decide which of two writes stays: `$max` compares them in this order. */
  readonly epoch: number;
  readonly revision: number;
  /** Of the stream, among those of its name (`createdAt`); 0 before its first read. */
  readonly generation: number;
  /** The last position that was given. */
  readonly position: number;
  readonly acknowledged: number;
  /** Events that were dropped since the acknowledged position. */
  readonly dropped: number;
  /** The last position when the newest of them was dropped: a later acknowledgement ends it. */
  readonly droppedAt: number;
  /** Deliveries that got the last positions, in their order. */
  readonly given?: readonly string[];
  /** The last positions before each of the last beginnings, and where those began. */
  readonly gaps?: readonly Gap[];
}

export interface StreamDocument extends Document {
  /** The shelf of the stream's owner. */
  readonly partition: number;
  /** Absent before the first read of a connection, and once the stream has ended. */
  readonly orgId?: string;
  readonly state: CursorState;
}

export interface BreakerState {
  readonly epoch: number;
  readonly revision: number;
  /** There is work that no nudge announces: probes, or parked deliveries. */
  readonly active: boolean;
  readonly url: string;
  readonly enabledAt: number;
  readonly series: number | null;
  readonly breaker: Breaker;
}

export interface BreakerDocument extends Document {
  /** The shelf of the subscription's actor. */
  readonly partition: number;
  readonly state: BreakerState;
}
