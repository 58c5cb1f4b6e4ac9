/** The store as the simulation models it, with nothing between it and who asks. */
import type { Filter, FindOptions, Store, Stored, Write } from '../../support/plain-store.ts';
import type { Database } from '../simulation/memory/database.ts';

export function modelStore(database: Database): Store {
  return {
    commit: async (writes) => writes.map((write) => database.apply(write)),
    byId: async <T extends Stored>(from: string, id: string) => database.byId<T>(from, id),
    find: async <T extends Stored>(from: string, filter: Filter, options?: FindOptions) =>
      database.find<T>(from, filter, options),
    findOne: async <T extends Stored>(from: string, filter: Filter, options?: FindOptions) =>
      database.findOne<T>(from, filter, options),
    existsEach: async (questions) =>
      questions.map(({ collection, filter }) => database.findOne(collection, filter) !== null),
    count: async (from, filter) => database.count(from, filter),
  };
}

interface Watch {
  readonly find?: (from: string, filter: Filter, options?: FindOptions) => unknown;
  readonly commit?: (writes: readonly Write[]) => unknown;
}

/** The store, at which something happens before a search or a commit: it may wait, or throw. */
export function watched(store: Store, { find, commit }: Watch): Store {
  return {
    ...store,
    find: async <T extends Stored>(from: string, filter: Filter, options?: FindOptions) => {
      await find?.(from, filter, options);
      return store.find<T>(from, filter, options);
    },
    commit: async (writes, options) => {
      await commit?.(writes);
      return store.commit(writes, options);
    },
  };
}
