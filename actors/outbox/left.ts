/** What earlier owners left to be handed on, read for all partitions that are taken together. */
import type { Document, FindOptions } from '../../shared/ports.ts';
import { Together } from '../runtime/together.ts';
import type { World } from '../world.ts';

export interface LeftDocument extends Document {
  /** The partition, while the outbox is not empty. */
  readonly pending?: number;
}

export interface LeftPlace {
  readonly collection: string;
  /** More are not read at once. */
  readonly most?: number;
}

export class LeftBehind<T extends LeftDocument> {
  readonly #together: Together<number, readonly T[]>;
  readonly #most: number;

  constructor({ store }: Pick<World, 'store'>, { collection, most }: LeftPlace) {
    this.#most = most ?? Number.POSITIVE_INFINITY;
    const options: FindOptions = most === undefined ? {} : { sort: { _id: 1 }, limit: most };
    this.#together = new Together((partitions) =>
      store.find<T>(collection, { pending: { $in: partitions } }, options),
    );
  }

  /** The partition's, as they are after this was called; null when there is too much of it all. */
  async of(partition: number): Promise<readonly T[] | null> {
    const left = await this.#together.with(partition);
    if (left.length >= this.#most) return null;
    return left.filter(({ pending }) => pending === partition);
  }
}
