/**
 * The positions of one stream: what was written and not acknowledged, in memory and on record.
 *
 * 1. Positions are in the store before anything here tells of them: a later owner goes on there.
 * 2. After a fault what is in memory is forgotten, and the store is read again.
 * 3. The scope of the key is asked when an event is written, not when it was recorded.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { AcknowledgeStream } from '../../../shared/wire/stream-commands.ts';
import { hears, type LiveStream } from '../../domain/organization/streams.ts';
import { acknowledge, outOfScope, recordResult, sendAgain } from '../../domain/stream-delivery.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import type { StreamCursor } from './cursor.ts';
import type { StreamLog } from './log.ts';
import { Unacknowledged } from './unacknowledged.ts';

type Settled = AcknowledgeStream['settled'];
type Results = Extract<Settled, { readonly results: unknown }>['results'];

/** `<position>.<delivery id>`, as a connection writes it; before it was the id alone. */
const WIRE_ID = /^(\d{1,16})\.[\w-]+$/;
const POSITION_PREFIX = /^\d{1,16}\./;

interface StreamPositionsSettings {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<
    StreamLog,
    'adopt' | 'change' | 'giveUp' | 'load' | 'position' | 'record' | 'sendAgain' | 'stored'
  >;
  readonly cursor: Pick<StreamCursor, 'acknowledge' | 'begin' | 'forget' | 'generation'>;
  /** There was no room for more, and there is now. */
  readonly freed: () => void;
}

export class StreamPositions {
  readonly #settings: StreamPositionsSettings;
  #known: Unacknowledged | null = null;

  constructor(settings: StreamPositionsSettings) {
    this.#settings = settings;
  }

  /** Null before the first read. */
  get known(): Unacknowledged | null {
    return this.#known;
  }

  async load(): Promise<Unacknowledged> {
    this.#known ??= new Unacknowledged(await this.#settings.log.load());
    return this.#known;
  }

  forget(): void {
    this.#known = null;
    this.#settings.cursor.forget();
  }

  /** Of another stream of this name nothing is of use. */
  async begin({ createdAt: generation }: LiveStream, orgId: string): Promise<Unacknowledged> {
    const { cursor, log } = this.#settings;
    const known = await this.load();
    if (cursor.generation === generation) return known;
    await this.giveUp(generation);
    cursor.begin({ orgId, generation });
    await log.record();
    return this.load();
  }

  /** What was given up is not known any more: once sent again, it has a new place. */
  async giveUp(generation: number | null, hasEnded?: () => Promise<boolean>): Promise<boolean> {
    await this.load();
    const isOver = await this.#settings.log.giveUp(generation, hasEnded);
    this.#known = null;
    return isOver;
  }

  /** How many wait, written or not, and how many of them are written. */
  async count(): Promise<{ readonly waiting: number; readonly unacknowledged: number }> {
    const { log } = this.#settings;
    const known = this.#known ?? (await log.stored.unacknowledged());
    const waiting = await log.stored.waiting();
    return { waiting, unacknowledged: known.size };
  }

  /** Gives positions to the next deliveries that wait; those in the scope of the key. */
  async position(stream: LiveStream): Promise<readonly DeliveryDocument[]> {
    const known = this.#known;
    if (!known || known.capacity === 0) return [];
    const positioned = await this.#settings.log.position(stream, known.capacity, known);
    this.#known?.add(positioned);
    return this.#inScope(stream, positioned);
  }

  /** What an earlier owner has positioned late has a new position. */
  async adopt(known: Unacknowledged): Promise<void> {
    this.#known?.add(await this.#settings.log.adopt(known));
  }

  /** Of the deliveries of these ids those that wait, and are in the scope of the key. */
  async read(stream: LiveStream, ids: readonly string[]): Promise<readonly DeliveryDocument[]> {
    return this.#inScope(stream, await this.#settings.log.stored.read(ids));
  }

  /** The number of settled deliveries. */
  settle(settled: Settled): Promise<number> {
    return 'upTo' in settled ? this.settleUpTo(settled.upTo) : this.#settleEach(settled.results);
  }

  async settleUpTo(id: string): Promise<number> {
    const { cursor, log } = this.#settings;
    const known = await this.load();
    const told = WIRE_ID.exec(id)?.[1];
    const position = told === undefined ? await log.stored.positionOf(id) : Number(told);
    if (position === null) return 0;
    const ids = known.upTo(position);
    const isNew = cursor.acknowledge(position);
    if (isNew && ids.length === 0) await log.record();
    return this.#remove(await log.change(ids, acknowledge));
  }

  /** They wait for no time. */
  async unschedule(ids: readonly string[]): Promise<void> {
    await this.load();
    await this.#settings.log.change(ids, (state) => ({ ...state, nextAttemptAt: null }));
  }

  /** Failed deliveries that `read` finds are written once more, behind all others. */
  async retry(read: () => Promise<readonly DeliveryDocument[]>) {
    await this.load();
    const found = await read();
    return { found, retried: await this.#settings.log.sendAgain(found, sendAgain) };
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
    const now = this.#settings.clock.now();
    await this.#settings.log.change(others, (state) => outOfScope(state, now));
    this.#known?.remove(others);
    return deliveries.filter(({ _id }) => !others.includes(_id));
  }

  async #settleEach(results: Results): Promise<number> {
    const known = await this.load();
    const byId = new Map(results.map((result) => [result.id.replace(POSITION_PREFIX, ''), result]));
    const ids = [...byId.keys()].filter((id) => known.has(id));
    const now = this.#settings.clock.now();
    const settled = await this.#settings.log.change(ids, (state, id) => {
      const result = byId.get(id);
      return result ? recordResult(state, result, now) : null;
    });
    return this.#remove(settled);
  }

  #remove(ids: readonly string[]): number {
    if (this.#known?.remove(ids)) this.#settings.freed();
    return ids.length;
  }
}
