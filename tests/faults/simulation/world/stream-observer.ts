/**
 * Observer of a world's event streams: when connections asked for pages, when events were committed,
 * what keys have reached, and what became of deliveries. It changes nothing.
 */
import type { OrganizationState } from '../../../../actors/domain/organization.ts';
import type { DeliveryDocument, StreamDocument } from '../../../../actors/model/subscription.ts';
import type { Bus } from '../../../../shared/ports/bus.ts';
import type { OutboxItem } from '../../../../shared/wire/outbox.ts';
import type { Document, Write } from '../../../support/plain-store.ts';
import type { DroppedCount, KeyReach, StreamDelivery } from '../../checkers/streams-history.ts';
import type { Database } from '../memory/database.ts';
import type { Scheduler } from './scheduler.ts';

/** An event as it was committed with its entity. */
export interface CommittedEvent {
  readonly id: string;
  readonly entity: string;
  /** The first commit with it was asked for, and the first one took effect. */
  readonly begunAt: number;
  readonly at: number;
}

/** A stream of this name begins. */
interface Begun {
  readonly at: number;
  readonly generation: number;
}

type Changes = StreamDelivery['changes'];

export class StreamObserver {
  readonly #now: () => number;
  readonly #database: Database;
  readonly #isOn: boolean;
  /** Of the newest read that a connection has asked for, by the request that opened it. */
  readonly #askedAt = new Map<string, number>();
  readonly #begunAt = new Map<string, number>();
  readonly committed = new Map<string, CommittedEvent>();
  /** By key. */
  readonly reaches = new Map<string, KeyReach[]>();
  /** By delivery. */
  readonly changes = new Map<string, Changes[number][]>();
  /** By stream. */
  readonly begun = new Map<string, Begun[]>();
  /** By stream. */
  readonly dropped = new Map<string, DroppedCount[]>();

  /** @param isOn false in worlds without streams, which need not pay for it */
  constructor(scheduler: Scheduler, database: Database, isOn: boolean) {
    this.#now = () => scheduler.now;
    this.#database = database;
    this.#isOn = isOn;
  }

  /** The bus of a gateway's connections. */
  watched(bus: Bus): Bus {
    return {
      ask: (address, command, options) => {
        const { requestId } = options;
        if (command.type === 'read-stream' && requestId) this.#askedAt.set(requestId, this.#now());
        return bus.ask(address, command, options);
      },
      query: (resource, payload, options) => bus.query(resource, payload, options),
      nudge: (address, payload) => bus.nudge(address, payload),
      connected: () => bus.connected(),
    };
  }

  askedAt(requestId: string): number {
    return this.#askedAt.get(requestId) ?? 0;
  }

  begin(writes: readonly Write[]): void {
    if (!this.#isOn) return;
    for (const { id } of writes.flatMap(outboxOf)) {
      if (!this.#begunAt.has(id)) this.#begunAt.set(id, this.#now());
    }
  }

  tookEffect(write: Write): void {
    if (!this.#isOn || 'remove' in write) return;
    const collection = 'insert' in write ? write.insert : write.update;
    const id = 'insert' in write ? write.document._id : write.filter._id;
    if (typeof id !== 'string') return;
    if (outboxOf(write).length > 0) this.#commit(this.#database.byId(collection, id));
    if (collection === 'deliveries') this.#change(this.#database.byId(collection, id));
    if (collection === 'streams') this.#drop(this.#database.byId(collection, id));
    if (collection === 'organizations') this.#reach(this.#database.byId(collection, id));
  }

  #commit(document: Document | null): void {
    const entity = String(document?.conversationId ?? document?._id);
    const outbox = Array.isArray(document?.outbox) ? (document.outbox as OutboxItem[]) : [];
    for (const { type, id } of outbox) {
      if (type !== 'event' || this.committed.has(id)) continue;
      const at = this.#now();
      this.committed.set(id, { id, entity, at, begunAt: this.#begunAt.get(id) ?? at });
    }
  }

  #change(delivery: DeliveryDocument | null): void {
    if (delivery?.order === undefined) return;
    const { status, position, attempts } = delivery.state;
    const changes = this.changes.get(delivery._id) ?? [];
    this.changes.set(delivery._id, changes);
    if (changes.at(-1)?.status === status) return;
    // Attempts stay when it is sent again: what is given up then has no reason of its own.
    const tried = attempts.length;
    const isNew = tried !== changes.at(-1)?.tried;
    const reason = isNew ? (attempts.at(-1)?.error ?? null) : null;
    changes.push({ at: this.#now(), status, position: position ?? null, reason, tried });
  }

  #drop(stream: StreamDocument | null): void {
    if (!stream) return;
    const { generation, dropped } = stream.state;
    const counts = this.dropped.get(stream._id) ?? [];
    this.dropped.set(stream._id, counts);
    const last = counts.at(-1);
    if (last?.count === dropped && last.generation === generation) return;
    counts.push({ at: this.#now(), generation, count: dropped });
  }

  #reach(document: Document | null): void {
    if (!document) return;
    const { keys, streams = [] } = document as unknown as OrganizationState;
    const at = this.#now();
    for (const key of keys) {
      const channelId = key.scope === 'channel' ? key.channelId : null;
      const isGood = key.revokedAt === null && key.removed !== true;
      const last = this.reaches.get(key.id)?.at(-1);
      if (last?.channelId === channelId && last.isGood === isGood) continue;
      this.reaches.set(key.id, [...(this.reaches.get(key.id) ?? []), { at, channelId, isGood }]);
    }
    for (const { id, createdAt } of streams) {
      const begun = this.begun.get(id) ?? [];
      this.begun.set(id, begun);
      if (begun.at(-1)?.generation !== createdAt) begun.push({ at, generation: createdAt });
    }
  }
}

function outboxOf(write: Write): readonly OutboxItem[] {
  if ('insert' in write) return listIn(Object(write.document).outbox);
  if (!('update' in write)) return [];
  const { $set, $push } = Object(write.change);
  return [...listIn(Object($set).outbox), ...listIn(Object(Object($push).outbox).$each)];
}

function listIn(value: unknown): readonly OutboxItem[] {
  return Array.isArray(value) ? value : [];
}
