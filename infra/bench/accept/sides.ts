/** A side of the comparison, and the count of its rows. */
import type { Collection, MongoClient } from 'mongodb';
import type { LoadPlan } from '../load.ts';

export interface Target extends Pick<LoadPlan, 'port' | 'path' | 'token'> {
  readonly channelId: string;
}

export interface AcceptSide {
  readonly name: string;
  readonly target: Target;
  /** Messages that MongoDB holds of this side. */
  count(): Promise<number>;
  /** Waits until no work is left of the accepted messages. */
  drain(): Promise<void>;
}

export function rowsIn(client: MongoClient, database: string, name: string): Collection {
  return client.db(database).collection(name);
}
