/** Which channels there are, read once for all the partitions of a process. */
import type { Clock, Store } from '../../shared/ports.ts';
import type { OrganizationDocument } from '../organization/documents.ts';

/** All partitions of a process are taken at the same moment. */
const SHARED_MS = 1_000;

export class ChannelList {
  readonly #store: Pick<Store, 'find'>;
  readonly #clock: Pick<Clock, 'after'>;
  #reading: Promise<readonly string[]> | null = null;

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Ids of the channels that have not been removed, at most a second old. */
  ids(): Promise<readonly string[]> {
    this.#reading ??= this.#read().finally(() => {
      this.#clock.after(SHARED_MS, () => {
        this.#reading = null;
      });
    });
    return this.#reading;
  }

  async #read(): Promise<readonly string[]> {
    const project = { removed: 1, 'channels.id': 1, 'channels.removed': 1 } as const;
    const found = await this.#store.find<OrganizationDocument>('organizations', {}, { project });
    return found
      .filter(({ removed }) => removed !== true)
      .flatMap(({ channels }) => channels)
      .filter(({ removed }) => removed !== true)
      .map(({ id }) => id);
  }
}
