/**
 * Removes published items from a document's outbox. A lost removal only publishes them again, under
 * the same ids, but not before the partition's next owner.
 */
import type { Write } from '../../shared/ports/store.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';

const RETRY_MS = 1_000;

type ClearingEnvironment = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>;

/** True when it is done; false when the lease has ended. */
export async function clearPublished(
  { store, clock, log, leaseHeld }: ClearingEnvironment,
  write: Write,
): Promise<boolean> {
  while (leaseHeld()) {
    try {
      const [cleared] = await store.commit([write], { deferrable: true });
      if (!cleared || cleared.ok || 'duplicate' in cleared) return true;
      throw cleared.error;
    } catch (cause) {
      log.warn({ error: describe(cause) }, 'clearing the published outbox failed');
    }
    await new Promise<void>((resume) => clock.after(RETRY_MS, resume));
  }
  return false;
}
