/**
 * Worker of one event stream: no other code in the process changes its deliveries.
 *
 * 1. Deliveries get positions only while a connection reads, and while fewer than
 *    `EVENT_STREAM_UNACKNOWLEDGED_MAX` are written and not acknowledged. That bounds its memory.
 * 2. The connection with the highest number counts. Others learn at their next read that they are
 *    replaced; a push without deliveries makes them read.
 * 3. Positions are in the store before a connection is told: a later owner goes on there.
 */
import {
  EVENT_STREAM_PAGE_MAX,
  EVENT_STREAM_UNACKNOWLEDGED_MAX,
  EVENT_STREAM_WAITING_MAX,
} from '../../shared/limits.ts';
import type {
  AcknowledgeStream,
  ReadStream,
  StreamRead,
  StreamState,
} from '../../shared/wire/stream-commands.ts';
import { acknowledge, overflow, recordResult, sendAgain } from '../domain/stream-delivery.ts';
import type { Environment } from '../environment.ts';
import { KeyedMutex } from '../runtime/concurrency.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { Worker } from '../runtime/owned-partitions.ts';
import { RunAgain } from '../runtime/repeat.ts';
import { type DeliveryDocument, STREAM_REVISIT_MS } from './api.ts';
import { StreamLog } from './stream-log.ts';
import { streamed, withinChars } from './stream-page.ts';
import { StreamReader } from './stream-reader.ts';
import { StreamSource } from './stream-source.ts';

const IDLE_MS = 60_000;
/** New deliveries between two counts of those that wait: far from the limit, and at it. */
const COUNT_EVERY = { most: 1_000, least: 100 };
const ALL = 'all';

export interface StreamWorkerSettings {
  readonly environment: Environment;
  readonly streamId: string;
  readonly epoch: number;
  /** Deliveries that may wait; the limit unless set. */
  readonly waitingMax?: number;
}

export class StreamWorker implements Worker {
  readonly #environment: Environment;
  readonly #streamId: string;
  readonly #log: StreamLog;
  readonly #source: StreamSource;
  readonly #reader: StreamReader;
  readonly #waitingMax: number;
  readonly #mutex = new KeyedMutex();
  readonly #push = new RunAgain(
    () => this.#serially(() => this.#pushNew()),
    (fault) => {
      const fields = { streamId: this.#streamId, error: describe(fault) };
      this.#environment.log.warn(fields, 'push of a stream failed');
    },
  );
  /** Positions by id, rising: written and not acknowledged. Null before the first read. */
  #unacknowledged: Map<string, number> | null = null;
  #dropped = 0;
  /** New deliveries until the next count. */
  #untilCount = 0;
  #closed = false;
  /** Monotonic milliseconds. */
  #usedAt: number;

  constructor({ environment, streamId, epoch, waitingMax }: StreamWorkerSettings) {
    this.#environment = environment;
    this.#streamId = streamId;
    this.#log = new StreamLog(environment, streamId, epoch);
    this.#source = new StreamSource(environment, streamId);
    this.#reader = new StreamReader(environment.clock);
    this.#waitingMax = waitingMax ?? EVENT_STREAM_WAITING_MAX;
    this.#usedAt = environment.clock.monotonic();
  }

  get isDisposable(): boolean {
    return this.#usedAt <= this.#environment.clock.monotonic() - IDLE_MS;
  }

  /** The next deliveries of a connection; `gone` where the stream has ended. */
  read(command: ReadStream): Promise<StreamRead> {
    return this.#serially(() => this.#read(command));
  }

  /** The number of settled deliveries; null where there is no such stream. */
  acknowledge({ orgId, settled }: AcknowledgeStream): Promise<number | null> {
    return this.#serially(async () => {
      if (!(await this.#source.read(orgId))) return null;
      return 'upTo' in settled ? this.#settleUpTo(settled.upTo) : this.#settleEach(settled.results);
    });
  }

  /** False where this acknowledgement comes too soon. */
  mayAcknowledge(): boolean {
    return this.#reader.mayAcknowledge();
  }

  /** Null where the organization has no such stream. */
  describe(orgId: string): Promise<StreamState | null> {
    return this.#serially(async () => {
      if (!(await this.#source.read(orgId))) return null;
      const known = this.#unacknowledged ?? (await this.#log.unacknowledged());
      const waiting = await this.#log.waiting();
      return { isConnected: this.#reader.isThere, waiting, unacknowledged: known.size };
    });
  }

  /** A connection of the stream has ended. */
  leave(connection: number): void {
    this.#reader.leave(connection);
  }

  /** There is a new delivery, or the configuration has changed. */
  wake(isEnded = false): void {
    if (isEnded) this.#source.invalidate();
    this.#usedAt = this.#environment.clock.monotonic();
    this.#untilCount--;
    if (isEnded) this.#hint();
    else if (!this.#closed) void this.#push.request();
  }

  /** A delivery that has waited for a day: its stream may have ended. */
  async revisit(delivery: DeliveryDocument): Promise<void> {
    await this.#serially(async () => {
      const nextAttemptAt = this.#environment.clock.now() + STREAM_REVISIT_MS;
      if (!(await this.#source.read(delivery.orgId))) await this.#log.giveUp(null);
      else await this.#log.change([delivery._id], (state) => ({ ...state, nextAttemptAt }));
    });
  }

  /** Failed deliveries that `read` finds are written once more, behind all others. */
  async retry(read: () => Promise<readonly DeliveryDocument[]>) {
    return this.#serially(async () => {
      const found = await read();
      const revisitAt = this.#environment.clock.now() + STREAM_REVISIT_MS;
      const retried = await this.#log.sendAgain(found, (state) => sendAgain(state, revisitAt));
      this.wake();
      return { found, retried };
    });
  }

  /** A written page holds nothing up: the next owner finds all in the store. */
  drain(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  close(): void {
    this.#closed = true;
  }

  /** After a fault the store is read again: a write without an answer may have been made. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(ALL, async () => {
      try {
        return await work();
      } catch (fault) {
        this.#unacknowledged = null;
        this.#log.forgetNext();
        throw fault;
      }
    });
  }

  async #read({ orgId, connection, after, acknowledged }: ReadStream): Promise<StreamRead> {
    const stream = await this.#source.readFor(orgId, connection);
    if (!stream) return { outcome: 'gone' };
    const newest = Math.max(stream.connection, this.#reader.connection);
    if (connection < newest) return { outcome: 'replaced' };
    if (this.#reader.hasRead(connection)) this.#hint();
    this.#usedAt = this.#environment.clock.monotonic();
    const known = await this.#load(stream.createdAt);
    this.#log.isBehind(after);
    if (acknowledged !== undefined) await this.#settleUpTo(acknowledged);
    if (lastOf(known) <= after && (await this.#position()).length === 0) {
      this.#keep(await this.#log.adopt(known));
    }
    await this.#dropOldest();
    return this.#pageAfter(after, known);
  }

  async #pageAfter(after: number, known: ReadonlyMap<string, number>): Promise<StreamRead> {
    const later = [...known].flatMap(([id, position]) => (position > after ? [id] : []));
    const found = await this.#log.read(later.slice(0, EVENT_STREAM_PAGE_MAX));
    const deliveries = withinChars(found.map(streamed));
    const more = deliveries.length < later.length || this.#log.hasNext;
    const unacknowledged = known.size - (later.length - deliveries.length);
    const dropped = this.#dropped;
    this.#dropped = 0;
    return { outcome: 'page', deliveries, more, dropped, unacknowledged };
  }

  /** New deliveries, for the connection that has read everything before. */
  async #pushNew(): Promise<void> {
    await this.#dropOldest();
    const known = this.#unacknowledged;
    if (this.#closed || !this.#environment.leaseHeld()) return;
    // A connection that lives by pushes, or by those of an earlier owner, has not read for long.
    if (!this.#reader.isThere || !known) {
      if (this.#reader.mayAsk()) this.#hint();
      return;
    }
    const after = this.#log.last;
    const positioned = await this.#position();
    if (positioned.length === 0) return;
    const deliveries = withinChars(positioned.map(streamed));
    if (deliveries.length < positioned.length) return this.#hint();
    const page = { after, deliveries, unacknowledged: known.size };
    this.#environment.streams.push(this.#streamId, page);
    // More may wait than one page: the connection reads it.
    if (this.#log.hasNext) this.#hint();
  }

  /** Makes connections read, without deliveries. */
  #hint(): void {
    const page = { after: 0, deliveries: [], unacknowledged: 0 };
    this.#environment.streams.push(this.#streamId, page);
  }

  async #position(): Promise<readonly DeliveryDocument[]> {
    const known = this.#unacknowledged;
    const room = EVENT_STREAM_UNACKNOWLEDGED_MAX - (known?.size ?? 0);
    if (!known || room <= 0) return [];
    const positioned = await this.#log.position(Math.min(room, EVENT_STREAM_PAGE_MAX), known);
    this.#keep(positioned);
    return positioned;
  }

  #keep(positioned: readonly DeliveryDocument[]): void {
    for (const { _id, state } of positioned) this.#unacknowledged?.set(_id, state.position ?? 0);
  }

  /** @param createdAt of the stream: what waits from an earlier one of its name is given up */
  async #load(createdAt: number): Promise<Map<string, number>> {
    if (!this.#unacknowledged) {
      await this.#log.giveUp(createdAt);
      const known = await this.#log.unacknowledged();
      this.#log.isBehind(lastOf(known));
      this.#unacknowledged = known;
    }
    return this.#unacknowledged;
  }

  async #settleUpTo(id: string): Promise<number> {
    const position = this.#unacknowledged?.get(id) ?? (await this.#log.positionOf(id));
    if (position === null) return 0;
    const known = this.#unacknowledged ?? (await this.#log.unacknowledged());
    const ids = [...known].flatMap(([each, at]) => (at <= position ? [each] : []));
    return this.#settled(await this.#log.change(ids, acknowledge));
  }

  async #settleEach(
    results: Extract<AcknowledgeStream['settled'], { readonly results: unknown }>['results'],
  ): Promise<number> {
    const known = this.#unacknowledged ?? (await this.#log.unacknowledged());
    const byId = new Map(results.map((result) => [result.id, result]));
    const ids = [...byId.keys()].filter((id) => known.has(id));
    const now = this.#environment.clock.now();
    const settled = await this.#log.change(ids, (state, id) => {
      const result = byId.get(id);
      return result ? recordResult(state, result, now) : null;
    });
    return this.#settled(settled);
  }

  #settled(ids: readonly string[]): number {
    const wasFull = (this.#unacknowledged?.size ?? 0) >= EVENT_STREAM_UNACKNOWLEDGED_MAX;
    for (const id of ids) this.#unacknowledged?.delete(id);
    if (wasFull && ids.length > 0) this.#hint();
    return ids.length;
  }

  /** Beyond the limit the oldest are dropped, and counted. */
  async #dropOldest(): Promise<void> {
    if (this.#untilCount > 0) return;
    const tooMany = (await this.#log.waiting()) - this.#waitingMax;
    this.#untilCount = Math.min(COUNT_EVERY.most, Math.max(COUNT_EVERY.least, -tooMany));
    if (tooMany <= 0) return;
    const now = this.#environment.clock.now();
    const oldest = await this.#log.oldest(tooMany, this.#unacknowledged);
    const dropped = await this.#log.change(oldest, (state) => overflow(state, now));
    this.#log.forgetNext();
    for (const id of dropped) this.#unacknowledged?.delete(id);
    this.#dropped += dropped.length;
    const fields = { streamId: this.#streamId, dropped: dropped.length };
    this.#environment.log.warn(fields, 'a stream has dropped its oldest events');
  }
}

function lastOf(known: ReadonlyMap<string, number>): number {
  return [...known.values()].at(-1) ?? 0;
}
