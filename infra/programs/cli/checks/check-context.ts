/** Context of a check that reads the work in the store. */
import type { Db } from 'mongodb';
import type { Directory } from './directory.ts';

export interface CheckContext {
  readonly db: Db;
  readonly directory: Directory;
  /** Epoch milliseconds. */
  readonly now: number;
}
