/** Document of a call with an Idempotency-Key: its lock, and the answer. */
import type { Document } from '../../shared/ports/store.ts';
import type { StoredReply } from '../../shared/wire/queries.ts';

export interface CallDocument extends Document {
  readonly fingerprint: string;
  /** Epoch milliseconds of the first call. */
  readonly since: number;
  readonly holder: string;
  readonly heldAt: number;
  readonly withMedia?: boolean;
  readonly answer: StoredReply | null;
  /** The last run was refused. */
  readonly refused?: boolean;
  /** The outcome of an earlier run is unknown. */
  readonly doubtful?: boolean;
  /** The numbers on record when a run with these ids asked; null: none has. */
  readonly onRecord?: readonly string[] | null;
}
