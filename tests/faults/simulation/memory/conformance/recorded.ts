/** A database that records its operations, in the order of their execution. */
import type { WriteOutcome } from '../../../../../shared/ports/store.ts';
import type { Filter, FindOptions, Stored, Write } from '../../../../support/plain-store.ts';
import { Database } from '../database.ts';
import type { Operation } from './operation.ts';

export class RecordedDatabase extends Database {
  readonly operations: Operation[] = [];

  override apply(write: Write): WriteOutcome {
    this.operations.push({ commit: [write] });
    return super.apply(write);
  }

  override find<T extends Stored>(
    collection: string,
    filter: Filter,
    options: FindOptions = {},
  ): T[] {
    this.operations.push({ read: 'find', collection, filter, options });
    return super.find<T>(collection, filter, options);
  }

  override findOne<T extends Stored>(
    collection: string,
    filter: Filter,
    options: FindOptions = {},
  ): T | null {
    this.operations.push({ read: 'findOne', collection, filter, options });
    return super.find<T>(collection, filter, { ...options, limit: 1 })[0] ?? null;
  }

  override byId<T extends Stored>(collection: string, id: string): T | null {
    this.operations.push({ read: 'byId', collection, filter: { _id: id }, options: {} });
    return super.byId<T>(collection, id);
  }

  override count(collection: string, filter: Filter): number {
    this.operations.push({ read: 'count', collection, filter, options: {} });
    return super.count(collection, filter);
  }
}
