/** Context of a check that reads the work in the store. */
import type { Db } from 'mongodb';
import { PARTITIONS } from '../../../../shared/limits.ts';
import type { Directory } from './directory.ts';

/** The agendas of all kinds are shared out by partition. */
export const EVERY_PARTITION = Array.from({ length: PARTITIONS }, (_, number) => number);

export interface CheckContext {
  readonly db: Db;
  readonly directory: Directory;
  /** Epoch milliseconds. */
  readonly now: number;
}
