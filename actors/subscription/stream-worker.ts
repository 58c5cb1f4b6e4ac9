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
  EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND,
  EVENT_STREAM_COMMENT_EVERY_MS,
  EVENT_STREAM_PAGE_MAX,
  EVENT_STREAM_PAGE_MAX_CHARS,
  EVENT_STREAM_UNACKNOWLEDGED_MAX,
  EVENT_STREAM_WAITING_MAX,
} from '../../shared/limits.ts';
import type {
  AcknowledgeStream,
  ReadStream,
  StreamedDelivery,
  StreamRead,
} from '../../shared/wire/stream-commands.ts';
import { acknowledge, overflow, recordResult, sendAgain } from '../domain/stream-delivery.ts';
import type { Environment } from '../environment.ts';
import { KeyedMutex } from '../runtime/concurrency.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { Worker } from '../runtime/owned-partitions.ts';
import { RunAgain } from '../runtime/repeat.ts';
import { type DeliveryDocument, STREAM_REVISIT_MS } from './api.ts';
import { StreamLog } from './stream-log.ts';
import { StreamSource } from './stream-source.ts';

/** A connection reads at least every 15 s. */
const READER_KEPT_MS = 3 * EVENT_STREAM_COMMENT_EVERY_MS;
const IDLE_MS = 60_000;
/** New deliveries between two counts of those that wait. */
const COUNT_EVERY = 1_000;
const SECOND_MS = 1_000;
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
  #connection = 0;
  #dropped = 0;
  #sinceCount = COUNT_EVERY;
  #closed = false;
  /** Monotonic milliseconds. */
  #readAt = Number.NEGATIVE_INFINITY;
  #usedAt: number;
  /** Times of the last acknowledgements, monotonic milliseconds. */
  #acknowledgedAt: readonly number[] = [];

  constructor({ environment, streamId, epoch, waitingMax }: StreamWorkerSettings) {
    this.#environment = environment;
    this.#streamId = streamId;
    this.#log = new StreamLog(environment, streamId, epoch);
    this.#source = new StreamSource(environment, streamId);
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
    const now = this.#environment.clock.monotonic();
    const recent = this.#acknowledgedAt.filter((at) => now - at < SECOND_MS);
    const isAllowed = recent.length < EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND;
    this.#acknowledgedAt = isAllowed ? [...recent, now] : recent;
    return isAllowed;
  }

  /** There is a new delivery, or the configuration has changed. */
  wake(isEnded = false): void {
    if (isEnded) this.#source.invalidate();
    this.#usedAt = this.#environment.clock.monotonic();
    this.#sinceCount++;
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
    const stream = await this.#source.read(orgId);
    if (!stream) return { outcome: 'gone' };
    const newest = Math.max(stream.connection, this.#connection);
    if (connection < newest) return { outcome: 'replaced' };
    if (connection > this.#connection) {
      this.#connection = connection;
      this.#hint();
    }
    this.#readAt = this.#environment.clock.monotonic();
    this.#usedAt = this.#readAt;
    const known = await this.#load(stream.createdAt);
    this.#log.isBehind(after);
    if (acknowledged !== undefined) await this.#settleUpTo(acknowledged);
    if (lastOf(known) <= after) await this.#position();
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
    const isRead = this.#environment.clock.monotonic() - this.#readAt < READER_KEPT_MS;
    const known = this.#unacknowledged;
    if (!isRead || !known || this.#closed || !this.#environment.leaseHeld()) return;
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
    const positioned = await this.#log.position(Math.min(room, EVENT_STREAM_PAGE_MAX));
    for (const { _id, state } of positioned) known.set(_id, state.position ?? 0);
    return positioned;
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
    if (this.#sinceCount < COUNT_EVERY) return;
    this.#sinceCount = 0;
    const tooMany = (await this.#log.waiting()) - this.#waitingMax;
    if (tooMany <= 0) return;
    const now = this.#environment.clock.now();
    const oldest = await this.#log.oldest(tooMany);
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

function streamed({ _id: id, event, body, state }: DeliveryDocument): StreamedDelivery {
  return { id, event, body, position: state.position ?? 0 };
}

/** The first ones whose bodies fit a page; one always does. */
function withinChars(deliveries: readonly StreamedDelivery[]): readonly StreamedDelivery[] {
  let chars = 0;
  const beyond = deliveries.findIndex(({ body }) => {
    chars += body.length;
    return chars > EVENT_STREAM_PAGE_MAX_CHARS;
  });
  return beyond < 0 ? deliveries : deliveries.slice(0, Math.max(1, beyond));
}
