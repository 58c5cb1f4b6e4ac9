/**
 * Deliveries of one event stream in MongoDB. Its owner gives each one a position and journals it
 * before the delivery is first written to a connection.
 *
 * 1. An entity's next event is recorded after the one before. A read from the newest to the oldest
 *    therefore finds, for each event, all that precede it.
 * 2. The store is read instead of nudges being trusted: they overtake each other.
 * 3. States are written as those of other deliveries: the epoch of the owner decides.
 * 4. A paused owner's position may be written after its successor has begun, between two of its
 *    reads. Such a delivery goes ahead of those without a position: it was recorded before them.
 */
import type { Filter } from '../../shared/ports/store.ts';
import { type DeliveryState, undeliverable } from '../domain/delivery.ts';
import type { Environment } from '../environment.ts';
import type { DeliveryDocument } from './api.ts';
import { changed, commit, deliveryWrite } from './documents.ts';

const BATCH = 1_000;
/** One position for each microsecond: positions of a later owner are higher without a counter. */
const POSITIONS_PER_MS = 1_000;

/** A write without an answer is committed within this time, or never. */
const LATE_MS = 10_000;

export type StreamLogEnvironment = Pick<Environment, 'store' | 'clock' | 'leaseHeld'>;

export class StreamLog {
  readonly #environment: StreamLogEnvironment;
  readonly #streamId: string;
  readonly #epoch: number;
  readonly #lateUntil: number;
  #last = 0;
  /** Ids without a position, in the order in which they get one. */
  #next: string[] = [];

  constructor(environment: StreamLogEnvironment, streamId: string, epoch: number) {
    this.#environment = environment;
    this.#streamId = streamId;
    this.#epoch = epoch;
    this.#lateUntil = environment.clock.monotonic() + LATE_MS;
  }

  /** Positions by id of what was written and not acknowledged, in their order. */
  async unacknowledged(): Promise<Map<string, number>> {
    const found = await this.#find({ 'state.position': { $gt: 0 } }, { 'state.position': 1 });
    return new Map(
      found.flatMap(({ _id, state }) => (state.position ? [[_id, state.position]] : [])),
    );
  }

  /**
   * Gives new positions to deliveries that an earlier owner has positioned after this one has read:
   * a paused process writes late.
   */
  async adopt(known: ReadonlyMap<string, number>): Promise<readonly DeliveryDocument[]> {
    return this.#reposition(await this.#late(known));
  }

  async #late(known: ReadonlyMap<string, number>): Promise<readonly string[]> {
    const positioned = this.#pending({ 'state.position': { $gt: 0 } });
    if ((await this.#environment.store.count('deliveries', positioned)) === known.size) return [];
    return [...(await this.unacknowledged()).keys()].filter((id) => !known.has(id));
  }

  /** A connection has been told positions up to this one: later ones are higher. */
  isBehind(position: number): void {
    this.#last = Math.max(this.#last, position);
  }

  get last(): number {
    return this.#last;
  }

  /** Some of them are settled: they are read anew. */
  forgetNext(): void {
    this.#next = [];
  }

  /** Whether an id waits for its position, as far as is known. */
  get hasNext(): boolean {
    return this.#next.length > 0;
  }

  /**
   * Gives positions to at most so many deliveries; they are journaled.
   * @param known as of `unacknowledged`, with the positions that were given here meanwhile
   */
  async position(
    count: number,
    known: ReadonlyMap<string, number>,
  ): Promise<readonly DeliveryDocument[]> {
    if (this.#next.length === 0) this.#next = await this.#toPosition(known);
    return this.#reposition(this.#next.splice(0, count));
  }

  async #reposition(ids: readonly string[]): Promise<readonly DeliveryDocument[]> {
    const found = await this.read(ids);
    const positioned = found.map((delivery) => this.#positioned(delivery));
    await this.#commit(positioned);
    return positioned;
  }

  /** The deliveries of these ids that still wait, in this order. */
  async read(ids: readonly string[]): Promise<readonly DeliveryDocument[]> {
    if (ids.length === 0) return [];
    const found = await this.#environment.store.find('deliveries', { _id: { $in: ids } });
    const byId = new Map(found.map((delivery) => [delivery._id, delivery]));
    return ids.flatMap((id) => {
      const delivery = byId.get(id);
      return delivery?.state.status === 'pending' ? [delivery] : [];
    });
  }

  /** Position of a delivery of this stream, settled or not; null where it has none. */
  async positionOf(id: string): Promise<number | null> {
    const delivery = await this.#environment.store.byId('deliveries', id);
    return delivery?.subscriptionId === this.#streamId ? (delivery.state.position ?? null) : null;
  }

  /** Changes those that still wait; answers their ids once that is journaled. */
  async change(
    ids: readonly string[],
    decide: (state: DeliveryState, id: string) => DeliveryState | null,
  ): Promise<readonly string[]> {
    const changedIds: string[] = [];
    for (let from = 0; from < ids.length; from += BATCH) {
      const found = await this.read(ids.slice(from, from + BATCH));
      const next = found.flatMap((delivery) => {
        const state = decide(delivery.state, delivery._id);
        return state ? [this.#changed(delivery, state)] : [];
      });
      await this.#commit(next);
      changedIds.push(...next.map(({ _id }) => _id));
    }
    return changedIds;
  }

  /** Changes settled ones to waiting ones, without a position; the number of them. */
  async sendAgain(
    found: readonly DeliveryDocument[],
    decide: (state: DeliveryState) => DeliveryState | null,
  ): Promise<number> {
    const again = found.flatMap((delivery) => {
      const next = decide(delivery.state);
      if (!next) return [];
      const { position: _, ...state } = this.#changed(delivery, next).state;
      return [{ ...delivery, state }];
    });
    await this.#commit(again);
    return again.length;
  }

  #changed(delivery: DeliveryDocument, state: DeliveryState): DeliveryDocument {
    return changed(delivery, state, { epoch: this.#epoch, now: this.#environment.clock.now() });
  }

  /** Number of deliveries that wait, written or not. */
  waiting(): Promise<number> {
    return this.#environment.store.count('deliveries', this.#pending({}));
  }

  /**
   * The oldest that wait, as the stream would write them.
   * @param known positions of what was written and not acknowledged; null: they are read
   */
  async oldest(
    count: number,
    known: ReadonlyMap<string, number> | null,
  ): Promise<readonly string[]> {
    const written = [...(known ?? (await this.unacknowledged())).keys()].slice(0, count);
    const rest = (await this.#unpositioned()).slice(0, count - written.length);
    return [...written, ...rest];
  }

  /** Fails what waits from before `time`, or all of it: the stream that should get it has ended. */
  async giveUp(before: number | null): Promise<void> {
    const { store, leaseHeld } = this.#environment;
    const old = before === null ? {} : { createdAt: { $lt: before } };
    while (leaseHeld()) {
      const found = await store.find('deliveries', this.#pending(old), { limit: BATCH });
      await this.#commit(found.map((each) => this.#changed(each, undeliverable(each.state))));
      if (found.length < BATCH) return;
    }
  }

  #positioned(delivery: DeliveryDocument): DeliveryDocument {
    this.#last = Math.max(this.#last + 1, this.#environment.clock.now() * POSITIONS_PER_MS);
    const next = this.#changed(delivery, delivery.state);
    return { ...next, state: { ...next.state, position: this.#last } };
  }

  /** See 4: the second read finds what the first one has missed. */
  async #toPosition(known: ReadonlyMap<string, number>): Promise<string[]> {
    const found = await this.#unpositioned();
    const mayBeLate = this.#environment.clock.monotonic() < this.#lateUntil;
    return mayBeLate && found.length > 0 ? [...(await this.#late(known)), ...found] : found;
  }

  /** From the newest to the oldest, then turned: see 1. */
  async #unpositioned(): Promise<string[]> {
    const found = await this.#find({ 'state.position': null }, { order: -1 });
    return found.map(({ _id }) => _id).toReversed();
  }

  #find(filter: Filter, sort: Readonly<Record<string, 1 | -1>>): Promise<DeliveryDocument[]> {
    const project = { 'state.position': 1 } as const;
    return this.#environment.store.find<DeliveryDocument>('deliveries', this.#pending(filter), {
      sort,
      project,
    });
  }

  /** The bound on `order` chooses the index of streams, which alone answers a count. */
  #pending(filter: Filter): Filter {
    return {
      subscriptionId: this.#streamId,
      'state.status': 'pending',
      order: { $gt: '' },
      ...filter,
    };
  }

  /** @throws where the lease has ended meanwhile: another owner may have read before the write */
  async #commit(deliveries: readonly DeliveryDocument[]): Promise<void> {
    await commit(this.#environment, deliveries.map(deliveryWrite));
    if (!this.#environment.leaseHeld()) throw new Error('the lease has ended');
  }
}
