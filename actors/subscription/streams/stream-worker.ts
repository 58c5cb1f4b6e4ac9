/**
 * Worker of one event stream: no other code in the process changes its deliveries.
 *
 * 1. Deliveries get positions only while a connection reads, and while fewer than
 *    `EVENT_STREAM_UNACKNOWLEDGED_MAX` are written and not acknowledged. That bounds its memory.
 * 2. The connection with the highest number counts. Others learn at their next read that they are
 *    replaced; a push without deliveries makes them read.
 * 3. Positions are in the store before a connection is told: a later owner goes on there.
 * 4. The scope of the key is asked when an event is written, not when it was recorded.
 */
import { EVENT_STREAM_PAGE_MAX, EVENT_STREAM_UNACKNOWLEDGED_MAX } from '../../../shared/limits.ts';
import type {
  AcknowledgeStream,
  ReadStream,
  StreamRead,
  StreamState,
} from '../../../shared/wire/stream-commands.ts';
import { hears, type LiveStream } from '../../domain/organization/streams.ts';
import {
  acknowledge,
  outOfScope,
  overflow,
  recordResult,
  sendAgain,
} from '../../domain/stream-delivery.ts';
import type { Environment } from '../../environment.ts';
import type { DeliveryDocument, RecordEvents } from '../../model/subscription.ts';
import { KeyedMutex } from '../../runtime/concurrency.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { Worker } from '../../runtime/owned-partitions.ts';
import { RunAgain } from '../../runtime/repeat.ts';
import { StreamCursor } from './stream-cursor.ts';
import { lastOf, StreamLog } from './stream-log.ts';
import { streamed, withinChars } from './stream-page.ts';
import { StreamReader } from './stream-reader.ts';
import { StreamRecorder } from './stream-recorder.ts';
import { StreamSource } from './stream-source.ts';

const IDLE_MS = 60_000;
/** New deliveries between two counts of those that wait: far from the limit, and at it. */
const COUNT_EVERY = { most: 1_000, least: 100 };
const DROPPED_AT_ONCE = 1_000;
const ALL = 'all';
/** `<position>.<delivery id>`, as a connection writes it; before it was the id alone. */
const WIRE_ID = /^(\d{1,16})\.[\w-]+$/;
const PLACE = /^\d{1,16}\./;

export interface StreamWorkerSettings {
  readonly environment: Environment;
  readonly streamId: string;
  readonly epoch: number;
  /** Rises with each call, also from one worker of the stream to the next. */
  readonly nextCount: () => number;
}

export class StreamWorker implements Worker {
  readonly #environment: Environment;
  readonly #streamId: string;
  readonly #cursor: StreamCursor;
  readonly #log: StreamLog;
  readonly #source: StreamSource;
  readonly #recorder: StreamRecorder;
  #reader: StreamReader;
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
  /** Of the stream that the reader belongs to. */
  #generation = 0;
  #orgId = '';
  /** New deliveries until the next count. */
  #untilCount = 0;
  #closed = false;
  /** Monotonic milliseconds. */
  #usedAt: number;

  constructor({ environment, streamId, epoch, nextCount }: StreamWorkerSettings) {
    this.#environment = environment;
    this.#streamId = streamId;
    this.#cursor = new StreamCursor(streamId, epoch);
    const { store, ids, clock } = environment;
    // A partition that is given away ends no lease, and its next owner may have read before a write.
    const leaseHeld = () => !this.#closed && environment.leaseHeld();
    const parts = { store, ids, clock, leaseHeld };
    this.#log = new StreamLog(parts, { streamId, epoch, cursor: this.#cursor });
    const source = new StreamSource(environment, streamId);
    this.#source = source;
    this.#recorder = new StreamRecorder(parts, { streamId, epoch, nextCount, source });
    this.#reader = new StreamReader(environment.clock);
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

  /** Beside reads and pushes: the store has the order. A repeat records nothing twice. */
  async record(command: RecordEvents): Promise<void> {
    this.#usedAt = this.#environment.clock.monotonic();
    this.wake(await this.#recorder.record(command));
  }

  /** There may be new deliveries: this many are known. */
  wake(count = 1): void {
    this.#usedAt = this.#environment.clock.monotonic();
    this.#untilCount -= count;
    if (!this.#closed) void this.#push.request();
  }

  /** The configuration has changed. */
  reconfigure(): void {
    this.#source.invalidate();
    this.#usedAt = this.#environment.clock.monotonic();
    this.#hint();
  }

  /** They wait for no time. */
  unschedule(ids: readonly string[]): Promise<void> {
    return this.#serially(async () => {
      await this.#load();
      await this.#log.change(ids, (state) => ({ ...state, nextAttemptAt: null }));
    });
  }

  /** Gives up what waits where the stream has ended; true where it has. */
  sweep(orgId: string): Promise<boolean> {
    return this.#serially(async () => {
      if (await this.#source.read(orgId)) return false;
      await this.#giveUp(null);
      return true;
    });
  }

  /** Failed deliveries that `read` finds are written once more, behind all others. */
  async retry(read: () => Promise<readonly DeliveryDocument[]>) {
    return this.#serially(async () => {
      await this.#load();
      const found = await read();
      const retried = await this.#log.sendAgain(found, sendAgain);
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

  /**
   * After a fault the store is read again: a write without an answer may have been made.
   * @throws once the tenure is over: its epoch may be an old one
   */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(ALL, async () => {
      if (this.#closed) throw new Error('the tenure of the stream is over');
      try {
        return await work();
      } catch (fault) {
        this.#forget();
        throw fault;
      }
    });
  }

  async #read({ orgId, connection, after, acknowledged }: ReadStream): Promise<StreamRead> {
    const stream = await this.#source.readFor(orgId, connection);
    // A higher number is of an earlier stream of this name: it would replace all new ones.
    if (!stream || connection > stream.connection) return { outcome: 'gone' };
    this.#begin(stream, orgId);
    const newest = Math.max(stream.connection, this.#reader.connection);
    if (connection < newest) return { outcome: 'replaced' };
    if (this.#reader.hasRead(connection)) this.#hint();
    this.#usedAt = this.#environment.clock.monotonic();
    await this.#load();
    if (this.#cursor.generation !== stream.createdAt) {
      await this.#giveUp(stream.createdAt);
      this.#cursor.begin({ orgId, generation: stream.createdAt });
      await this.#log.record();
    }
    const known = await this.#load();
    if (acknowledged !== undefined) await this.#settleUpTo(acknowledged);
    await this.#dropOldest();
    if (lastOf(known) <= after && (await this.#position(stream)).length === 0) {
      this.#keep(await this.#log.adopt(known));
    }
    return this.#pageAfter(after, { known, stream });
  }

  /** What was given up is not known any more: once sent again, it has a new place. */
  async #giveUp(generation: number | null): Promise<void> {
    await this.#load();
    await this.#log.giveUp(generation);
    this.#unacknowledged = null;
  }

  /** Connections of an earlier stream of this name had numbers of their own. */
  #begin({ createdAt }: LiveStream, orgId: string): void {
    this.#orgId = orgId;
    if (this.#generation === createdAt) return;
    this.#generation = createdAt;
    this.#reader = new StreamReader(this.#environment.clock);
  }

  async #pageAfter(
    after: number,
    { known, stream }: { readonly known: ReadonlyMap<string, number>; readonly stream: LiveStream },
  ): Promise<StreamRead> {
    const later = [...known].flatMap(([id, position]) => (position > after ? [id] : []));
    const page = later.slice(0, EVENT_STREAM_PAGE_MAX);
    const found = await this.#inScope(stream, await this.#log.read(page));
    const deliveries = withinChars(found.map(streamed));
    const left = later.filter((id) => known.has(id)).length - deliveries.length;
    // Without room nothing comes before an acknowledgement, which makes the connection read.
    const hasRoom = known.size < EVENT_STREAM_UNACKNOWLEDGED_MAX;
    const more = left > 0 || (hasRoom && this.#log.hasMore);
    const unacknowledged = known.size - left;
    return { outcome: 'page', deliveries, more, dropped: this.#cursor.dropped, unacknowledged };
  }

  /** New deliveries, for the connection that has read everything before. */
  async #pushNew(): Promise<void> {
    await this.#dropOldest();
    const known = this.#unacknowledged;
    if (!this.#environment.leaseHeld()) return;
    // A connection that lives by pushes, or by those of an earlier owner, has not read for long.
    if (!this.#reader.isThere || !known) {
      if (this.#reader.mayAsk()) this.#hint();
      return;
    }
    const stream = await this.#source.read(this.#orgId);
    // A read tells what was dropped; a push does not.
    if (!stream || this.#cursor.dropped > 0) return this.#hint();
    const after = this.#cursor.position;
    const positioned = await this.#position(stream);
    if (positioned.length === 0) return;
    const deliveries = withinChars(positioned.map(streamed));
    if (deliveries.length < positioned.length) return this.#hint();
    const page = { after, deliveries, unacknowledged: known.size };
    this.#environment.streams.push(this.#streamId, page);
    // More may wait than one page: the connection reads it.
    if (this.#log.hasMore) this.#hint();
  }

  /** Makes connections read, without deliveries. */
  #hint(): void {
    const page = { after: 0, deliveries: [], unacknowledged: 0 };
    this.#environment.streams.push(this.#streamId, page);
  }

  async #position(stream: LiveStream): Promise<readonly DeliveryDocument[]> {
    const known = this.#unacknowledged;
    const room = EVENT_STREAM_UNACKNOWLEDGED_MAX - (known?.size ?? 0);
    if (!known || room <= 0) return [];
    const positioned = await this.#log.position(
      stream,
      Math.min(room, EVENT_STREAM_PAGE_MAX),
      known,
    );
    this.#keep(positioned);
    return this.#inScope(stream, positioned);
  }

  /** The others fail: the key may not read them any more. */
  async #inScope(
    stream: LiveStream,
    deliveries: readonly DeliveryDocument[],
  ): Promise<readonly DeliveryDocument[]> {
    if (stream.channelId === null) return deliveries;
    const isHeard = ({ event, body }: DeliveryDocument) =>
      hears(stream, event, JSON.parse(body).data);
    const others = deliveries.filter((each) => !isHeard(each)).map(({ _id }) => _id);
    const now = this.#environment.clock.now();
    await this.#log.change(others, (state) => outOfScope(state, now));
    for (const id of others) this.#unacknowledged?.delete(id);
    return deliveries.filter(({ _id }) => !others.includes(_id));
  }

  #keep(positioned: readonly DeliveryDocument[]): void {
    for (const { _id, state } of positioned) this.#unacknowledged?.set(_id, state.position ?? 0);
  }

  async #load(): Promise<Map<string, number>> {
    this.#unacknowledged ??= await this.#log.load();
    return this.#unacknowledged;
  }

  #forget(): void {
    this.#unacknowledged = null;
    this.#cursor.forget();
  }

  async #settleUpTo(id: string): Promise<number> {
    const known = await this.#load();
    const told = WIRE_ID.exec(id)?.[1];
    const position = told === undefined ? await this.#log.positionOf(id) : Number(told);
    if (position === null) return 0;
    const ids = [...known].flatMap(([each, at]) => (at <= position ? [each] : []));
    const isNew = this.#cursor.acknowledge(position);
    if (isNew && ids.length === 0) await this.#log.record();
    return this.#settled(await this.#log.change(ids, acknowledge));
  }

  async #settleEach(
    results: Extract<AcknowledgeStream['settled'], { readonly results: unknown }>['results'],
  ): Promise<number> {
    const known = await this.#load();
    const byId = new Map(results.map((result) => [result.id.replace(PLACE, ''), result]));
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
    let tooMany = (await this.#log.waiting()) - this.#environment.settings.streamWaitingMax;
    this.#untilCount = Math.min(COUNT_EVERY.most, Math.max(COUNT_EVERY.least, -tooMany));
    const now = this.#environment.clock.now();
    let count = 0;
    while (tooMany > 0 && this.#environment.leaseHeld()) {
      const known = await this.#load();
      const atOnce = Math.min(tooMany, DROPPED_AT_ONCE);
      const written = [...known.keys()].slice(0, atOnce);
      const oldest = [...written, ...(await this.#log.oldest(atOnce - written.length))];
      if (oldest.length === 0) break;
      this.#cursor.drop(oldest.length);
      // Before: what a paused owner drops late is counted by the next one too.
      await this.#log.record();
      await this.#log.change(oldest, (state) => overflow(state, now));
      for (const id of oldest) known.delete(id);
      count += oldest.length;
      tooMany -= oldest.length;
    }
    if (count === 0) return;
    const fields = { streamId: this.#streamId, dropped: count };
    this.#environment.log.warn(fields, 'a stream has dropped its oldest events');
    // A connection is told when it reads.
    if (this.#reader.isThere) this.#hint();
    else this.#forget();
  }
}
