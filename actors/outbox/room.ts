/** Bound of one document's outbox, while none of it can be published. */
import { OUTBOX_MAX } from '../../shared/limits.ts';
import { Overloaded } from '../runtime/assert-committed.ts';

/** @throws {Overloaded} when the outbox has no room for the items */
export function assertRoom(
  outbox: readonly unknown[],
  items: readonly unknown[],
  what: string,
): void {
  if (items.length > 0 && outbox.length + items.length > OUTBOX_MAX) throw new Overloaded(what);
}
