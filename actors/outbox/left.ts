/**
 * What earlier owners left to be handed on, read for all the partitions that are taken at one
 * moment: a process takes its share of every kind at once, and a query each would be hundreds.
 */
import type { Document } from '../../shared/ports.ts';
import type { World } from '../world.ts';

export interface LeftDocument extends Document {
  /** The partition, while the outbox is not empty. */
  readonly pending?: number;
}

export class LeftBehind<T extends LeftDocument> {
  readonly #store: World['store'];
  readonly #collection: string;
  #next: { readonly partitions: number[]; readonly read: Promise<readonly T[]> } | null = null;

  constructor({ store }: Pick<World, 'store'>, collection: string) {
    this.#store = store;
    this.#collection = collection;
  }

  /** The partition's, as they are after this was called. */
  async of(partition: number): Promise<readonly T[]> {
    if (!this.#next) {
      const partitions: number[] = [];
      const read = new Promise<void>((resume) => setImmediate(resume)).then(() => {
        this.#next = null;
        return this.#store.find<T>(this.#collection, { pending: { $in: partitions } });
      });
      this.#next = { partitions, read };
    }
    this.#next.partitions.push(partition);
    const left = await this.#next.read;
    return left.filter(({ pending }) => pending === partition);
  }
}
