/** Maps the store's outcome of a write to the error that a turn throws. */
import type { WriteOutcome } from '../../shared/ports/store.ts';
import { StaleState } from './actor.ts';

/** The write itself is refused (a document that is too large, a bad value), and would be again. */
export class WriteRefused extends Error {
  constructor(what: string, options: ErrorOptions) {
    super(`the store refused ${what}`, options);
    this.name = 'WriteRefused';
  }
}

/** The outbox cannot be published: no more items are committed until it is. */
export class Overloaded extends Error {
  constructor(what: string) {
    super(`the outbox of ${what} is full`);
    this.name = 'Overloaded';
  }
}

/**
 * Returns if the write was committed.
 * @throws StaleState for a duplicate, WriteRefused for a lasting error, and the store's own error
 * for a transient one
 */
export function assertCommitted(outcome: WriteOutcome | undefined, what: string): void {
  if (outcome?.ok) return;
  if (!outcome || 'duplicate' in outcome) throw new StaleState(what);
  const { error, lasting } = outcome;
  throw lasting ? new WriteRefused(what, { cause: error }) : error;
}
