/** List of all channels, read once for all partitions of a process. */
import type { Clock } from '../../shared/ports/clock.ts';
import type { Store } from '../../shared/ports/store.ts';
import { organizationPages } from '../organization/pages.ts';

/** A process acquires all its partitions at the same moment, and their reads share one result. */
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
    const ids: string[] = [];
    for await (const page of organizationPages(this.#store, project)) {
      const present = page.filter(({ removed }) => removed !== true);
      const channels = present.flatMap((organization) => organization.channels);
      ids.push(...channels.filter(({ removed }) => removed !== true).map(({ id }) => id));
    }
    return ids;
  }
}
