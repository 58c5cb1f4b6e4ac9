/**
 * Deliveries of one event stream in MongoDB. Its owner gives each one a position of the stream's
 * cursor and journals it before the delivery is first written to a connection.
 *
 * 1. An event is recorded after those before it, or names them (`predecessors.ts`). A page
 *    is read twice, first from the oldest on, then from its newest back: the second read finds all
 *    that precede what the first one found, however the inserts became visible. Neither depends on
 *    how many wait.
 * 2. The store is read instead of nudges being trusted: they overtake each other.
 * 3. States are written as those of other deliveries: the epoch of the owner decides.
 * 4. A position may be written late: by a paused owner after its successor has begun, or by a commit
 *    of this one that got no answer, between two of its reads. Such a delivery goes ahead of those
 *    without a position: it was recorded before them.
 */
import { type DeliveryState, undeliverable } from '../../domain/delivery.ts';
import type { LiveStream } from '../../domain/organization/streams.ts';
import type { Environment } from '../../environment.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import { changed, commit, deliveryWrite } from '../deliveries/documents.ts';
import type { StreamCursor } from './cursor.ts';
import { AGAIN, isNew, withPredecessors } from './predecessors.ts';
import { StoredStream } from './stored-stream.ts';
import type { Unacknowledged } from './unacknowledged.ts';

const BATCH = 1_000;

/** A write without an answer is committed within this time, or never. */
const LATE_MS = 10_000;

const ALWAYS = () => Promise.resolve(true);

/** What is written and not acknowledged, as its worker knows it. */
type Known = Pick<Unacknowledged, 'has' | 'size'>;

export type StreamLogEnvironment = Pick<Environment, 'store' | 'ids' | 'clock' | 'leaseHeld'>;

interface StreamLogSettings {
  readonly streamId: string;
  readonly epoch: number;
  readonly cursor: StreamCursor;
}

export class StreamLog {
  readonly #environment: StreamLogEnvironment;
  readonly stored: StoredStream;
  readonly #epoch: number;
  readonly #cursor: StreamCursor;
  #lateUntil = 0;
  #hasMore = false;

  constructor(environment: StreamLogEnvironment, { streamId, epoch, cursor }: StreamLogSettings) {
    this.#environment = environment;
    this.stored = new StoredStream(environment.store, streamId);
    this.#epoch = epoch;
    this.#cursor = cursor;
  }

  /** Loads the cursor; answers as `unacknowledged`, after a commit that was executed in part. */
  async load(): Promise<Map<string, number>> {
    this.#lateUntil = this.#environment.clock.monotonic() + LATE_MS;
    const found = await this.stored.unacknowledged();
    const { position, given, isUnreported } = await this.#cursor.load(
      this.#environment,
      lastOf(found),
    );
    const unreported = new Set([...found].flatMap(([id, at]) => (isUnreported(at) ? [id] : [])));
    const others = [...unreported].filter((id) => !given.includes(id));
    const withdrawn = (await this.stored.read(others)).map((delivery) => {
      const { position: _, ...state } = this.#changed(delivery, delivery.state).state;
      return { ...delivery, state };
    });
    const first = position - given.length + 1;
    // Of the page that was given last, one may have the position of an earlier try, by a late write.
    const lacking = await this.stored.read(
      given.filter((id) => !found.has(id) || unreported.has(id)),
    );
    const completed = lacking
      .filter((each) => isNew(each) || isUnreported(each.state.position ?? 0))
      .map((delivery) => {
        const at = first + given.indexOf(delivery._id);
        const { state } = this.#changed(delivery, delivery.state);
        return { ...delivery, state: { ...state, position: at } };
      });
    const writes = [...withdrawn, ...completed].map(deliveryWrite);
    if (writes.length > 0) await commit(this.#environment, writes);
    for (const id of unreported) found.delete(id);
    for (const { _id, state } of completed) found.set(_id, state.position);
    return new Map([...found].toSorted(([, a], [, b]) => a - b));
  }

  /**
   * Gives new positions to deliveries that an earlier owner has positioned after this one has read:
   * a paused process writes late.
   */
  async adopt(known: Known): Promise<readonly DeliveryDocument[]> {
    return this.#position(await this.#late(known));
  }

  async #late(known: Known): Promise<readonly DeliveryDocument[]> {
    if ((await this.stored.countPositioned()) === known.size) return [];
    const unacknowledged = [...(await this.stored.unacknowledged()).keys()];
    return this.stored.read(unacknowledged.filter((id) => !known.has(id)));
  }

  /** Whether further deliveries wait for their position, as far as is known. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /**
   * Gives positions to about so many of the oldest deliveries without one; they are journaled.
   * @param known as of `unacknowledged`, with the positions that were given here meanwhile
   */
  async position(
    stream: LiveStream,
    count: number,
    known: Known,
  ): Promise<readonly DeliveryDocument[]> {
    const oldest = await this.stored.first(count);
    const newest = oldest.at(-1)?.order;
    this.#hasMore = oldest.length === count;
    if (newest === undefined) return [];
    const ids = await this.stored.backFrom(newest);
    const byId = new Map(oldest.map((delivery) => [delivery._id, delivery]));
    // Inserted below the newest while the first read went on.
    const missing = ids.filter((id) => !byId.has(id));
    for (const delivery of await this.stored.read(missing)) byId.set(delivery._id, delivery);
    // See 4: these reads have not found what was positioned late.
    const mayBeLate = this.#environment.clock.monotonic() < this.#lateUntil;
    const late = mayBeLate ? await this.#late(known) : [];
    const inOrder = ids.toReversed().flatMap((id) => byId.get(id) ?? []);
    const found = [...late, ...inOrder];
    const isPositioned = (id: string) => known.has(id);
    const page = { stream, found, isPositioned };
    return this.#position(await withPredecessors(this.#environment, page));
  }

  async #position(found: readonly DeliveryDocument[]): Promise<readonly DeliveryDocument[]> {
    if (found.length === 0) return [];
    const first = this.#cursor.give(found.map(({ _id }) => _id));
    const positioned = found.map((delivery, at) => {
      const next = this.#changed(delivery, delivery.state);
      return { ...next, state: { ...next.state, position: first + at } };
    });
    await this.#commit(positioned);
    return positioned;
  }

  /** Changes those that still wait; answers their ids once that is journaled. */
  async change(
    ids: readonly string[],
    decide: (state: DeliveryState, id: string) => DeliveryState | null,
  ): Promise<readonly string[]> {
    const changedIds: string[] = [];
    for (let from = 0; from < ids.length; from += BATCH) {
      const found = await this.stored.read(ids.slice(from, from + BATCH));
      const next = found.flatMap((delivery) => {
        const state = decide(delivery.state, delivery._id);
        return state ? [this.#changed(delivery, state)] : [];
      });
      await this.#commit(next);
      changedIds.push(...next.map(({ _id }) => _id));
    }
    return changedIds;
  }

  /** Changes settled ones to waiting ones, behind all that wait; the number of them. */
  async sendAgain(
    found: readonly DeliveryDocument[],
    decide: (state: DeliveryState) => DeliveryState | null,
  ): Promise<number> {
    const last = await this.stored.newestOrder();
    const again = found.flatMap((delivery) => {
      const next = decide(delivery.state);
      if (!next) return [];
      const { position, ...state } = this.#changed(delivery, next).state;
      const before = state.before ?? position;
      const order = `${(last ?? delivery.order)?.split(AGAIN)[0]}${AGAIN}${this.#cursor.next()}`;
      return [{ ...delivery, order, state: { ...state, ...(before ? { before } : {}) } }];
    });
    await commit(this.#environment, [
      this.#cursor.write(),
      ...again.map(({ _id, state, order }) => ({
        ...({ update: 'deliveries', filter: { _id } } as const),
        change: { $max: { state }, $set: { order } },
      })),
    ]);
    return again.length;
  }

  #changed(delivery: DeliveryDocument, state: DeliveryState): DeliveryDocument {
    return changed(delivery, state, { epoch: this.#epoch, now: this.#environment.clock.now() });
  }

  /**
   * Fails what waits of an earlier stream of this name, or all of it where this one has ended; false
   * where it has not. What waits is read before that is asked: a new stream of this name may begin,
   * and be recorded, after the answer.
   */
  async giveUp(generation: number | null, hasEnded = ALWAYS): Promise<boolean> {
    while (this.#environment.leaseHeld()) {
      const found = await this.stored.unsettled(generation, BATCH);
      if (!(await hasEnded())) return false;
      await this.#commit(found.map((each) => this.#changed(each, undeliverable(each.state))));
      if (found.length < BATCH) return true;
    }
    return false;
  }

  /** Writes the cursor. */
  async record(): Promise<void> {
    await this.#commit([]);
  }

  /** @throws where the lease has ended meanwhile: another owner may have read before the write */
  async #commit(deliveries: readonly DeliveryDocument[]): Promise<void> {
    await commit(this.#environment, [this.#cursor.write(), ...deliveries.map(deliveryWrite)]);
    if (!this.#environment.leaseHeld()) throw new Error('the lease has ended');
  }
}

/** The highest of positions that rise. */
function lastOf(known: ReadonlyMap<string, number>): number {
  return [...known.values()].at(-1) ?? 0;
}
