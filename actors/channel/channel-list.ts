/** List of all channels, read once for all partitions of a process. */
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { organizationPages } from '../organization/read-organization.ts';

/** A process acquires all its partitions at the same moment, and their reads share one result. */
const SHARED_MS = 1_000;

export class ChannelList {
  readonly #environment: Pick<Environment, 'store' | 'clock'>;
  #reading: Promise<ReadonlyMap<number, readonly string[]>> | null = null;

  constructor(environment: Pick<Environment, 'store' | 'clock'>) {
    this.#environment = environment;
  }

  /** Ids of the channels that have not been removed, by partition; at most a second old. */
  byPartition(): Promise<ReadonlyMap<number, readonly string[]>> {
    this.#reading ??= this.#read().finally(() => {
      this.#environment.clock.after(SHARED_MS, () => {
        this.#reading = null;
      });
    });
    return this.#reading;
  }

  async #read(): Promise<ReadonlyMap<number, readonly string[]>> {
    const project = { removed: 1, 'channels.id': 1, 'channels.removed': 1 } as const;
    const ids: string[] = [];
    for await (const page of organizationPages(this.#environment.store, project)) {
      const present = page.filter(({ removed }) => removed !== true);
      const channels = present.flatMap((organization) => organization.channels);
      ids.push(...channels.filter(({ removed }) => removed !== true).map(({ id }) => id));
    }
    return Map.groupBy(ids, (id) => partitionOf('channel', id));
  }
}
