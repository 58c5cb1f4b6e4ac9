/**
 * Takes out of a document what has been handed on. Losing this would only hand it on again, under
 * the same ids, but nobody would look at it before the partition's next owner.
 */
import type { Write } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';

const RETRY_MS = 1_000;

type ClearingWorld = Pick<World, 'store' | 'clock' | 'log' | 'alive'>;

/** True when it is done; false when this process may act no more. */
export async function clearHandedOn(
  { store, clock, log, alive }: ClearingWorld,
  write: Write,
): Promise<boolean> {
  while (alive()) {
    try {
      const [cleared] = await store.commit([write], { patient: true });
      if (!cleared || cleared.ok || 'duplicate' in cleared) return true;
      throw cleared.error;
    } catch (cause) {
      log.warn({ error: describe(cause) }, 'could not clear what was handed on');
    }
    await new Promise<void>((resume) => clock.after(RETRY_MS, resume));
  }
  return false;
}
