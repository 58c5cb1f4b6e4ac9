/** What the store has of one event stream's deliveries: questions that change nothing. */
import type { Filter, Order, Store } from '../../model/collections.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';

export class StoredStream {
  readonly #store: Pick<Store, 'byId' | 'count' | 'find'>;
  readonly #streamId: string;

  constructor(store: Pick<Store, 'byId' | 'count' | 'find'>, streamId: string) {
    this.#store = store;
    this.#streamId = streamId;
  }

  /** Number of deliveries that are written and wait. */
  countPositioned(): Promise<number> {
    return this.#store.count('deliveries', this.#pending({ 'state.position': { $gt: 0 } }));
  }

  /** About so many of the oldest that have no position. */
  first(limit: number): Promise<readonly DeliveryDocument[]> {
    const options = { sort: { order: 1 }, limit } as const;
    return this.#store.find('deliveries', this.#unpositioned(), options);
  }

  /** The deliveries of these ids that still wait, in this order. */
  async read(ids: readonly string[]): Promise<readonly DeliveryDocument[]> {
    if (ids.length === 0) return [];
    const found = await this.#store.find('deliveries', { _id: { $in: ids } });
    const byId = new Map(found.map((delivery) => [delivery._id, delivery]));
    return ids.flatMap((id) => {
      const delivery = byId.get(id);
      return delivery?.state.status === 'pending' ? [delivery] : [];
    });
  }

  /**
   * Position under which a client may have read the delivery of this id alone, settled or not: the
   * first one. A delivery that was sent again has another, behind events that nobody has read.
   */
  async positionOf(id: string): Promise<number | null> {
    const delivery = await this.#store.byId('deliveries', id);
    if (delivery?.subscriptionId !== this.#streamId) return null;
    return delivery.state.before ?? delivery.state.position ?? null;
  }

  /** Order of the newest that has no position. */
  async newestOrder(): Promise<string | undefined> {
    const options = { sort: { order: -1 }, limit: 1, project: { order: 1 } } as const;
    const unpositioned = this.#unpositioned();
    const [last] = await this.#store.find('deliveries', unpositioned, options);
    return last?.order;
  }

  /** Number of deliveries that wait, written or not. */
  waiting(): Promise<number> {
    return this.#store.count('deliveries', this.#pending({}));
  }

  /** Ids of at most so many of the oldest that have no position. */
  async oldest(count: number): Promise<readonly string[]> {
    if (count <= 0) return [];
    const options = { sort: { order: 1 }, limit: count, project: { order: 1 } } as const;
    const unpositioned = this.#unpositioned();
    const found = await this.#store.find('deliveries', unpositioned, options);
    return found.map(({ _id }) => _id);
  }

  /** Some of those that an earlier stream of this name has left, or of all where this one ended. */
  unsettled(generation: number | null, limit: number): Promise<readonly DeliveryDocument[]> {
    const old = generation === null ? {} : { generation: { $exists: true, $ne: generation } };
    return this.#store.find('deliveries', this.#pending(old), { limit });
  }

  /** Positions by id of what was written and not acknowledged, in their order. */
  async unacknowledged(): Promise<Map<string, number>> {
    const found = await this.#ids({ 'state.position': { $gt: 0 } }, { 'state.position': 1 });
    return new Map(
      found.flatMap(({ _id, state }) => (state.position ? [[_id, state.position]] : [])),
    );
  }

  /** Ids of those without a position up to an order, from the newest back. */
  async backFrom(newest: string): Promise<readonly string[]> {
    const range = { order: { $gt: '', $lte: newest }, 'state.position': null };
    return (await this.#ids(range, { order: -1 })).map(({ _id }) => _id);
  }

  #unpositioned(): Filter<'deliveries'> {
    return this.#pending({ 'state.position': null });
  }

  #ids(filter: Filter<'deliveries'>, sort: Order<'deliveries'>) {
    const project = { 'state.position': 1 } as const;
    const pending = this.#pending(filter);
    return this.#store.find('deliveries', pending, { sort, project });
  }

  /** The bound on `order` chooses the index of streams, which alone answers a count. */
  #pending(filter: Filter<'deliveries'>): Filter<'deliveries'> {
    return {
      subscriptionId: this.#streamId,
      'state.status': 'pending',
      order: { $gt: '' },
      ...filter,
    };
  }
}
