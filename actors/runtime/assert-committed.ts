/** What the store says of a write, as a turn has to take it. */
import type { WriteOutcome } from '../../shared/ports.ts';
import { StaleState } from './actor.ts';

/** The write itself is refused (a document that is too large, a bad value), and would be again. */
export class WriteRefused extends Error {
  constructor(what: string, options: ErrorOptions) {
    super(`the store refused ${what}`, options);
    this.name = 'WriteRefused';
  }
}

/** The outbox cannot be published: nothing more is committed until it is. */
export class Overloaded extends Error {
  constructor(what: string) {
    super(`the outbox of ${what} is full`);
    this.name = 'Overloaded';
  }
}

/**
 * Returns where the write has landed.
 * @throws StaleState for a duplicate, WriteRefused for what another try would not mend, and the
 * store's own error for what may pass
 */
export function assertCommitted(outcome: WriteOutcome | undefined, what: string): void {
  if (outcome?.ok) return;
  if (!outcome || 'duplicate' in outcome) throw new StaleState(what);
  const { error, lasting } = outcome;
  throw lasting ? new WriteRefused(what, { cause: error }) : error;
}
