/**
 * The same fresh ids for each preparation of a call: one that is prepared again, because its caller
 * has changed meanwhile, makes the same things, and meets them if they were made already.
 */
import type { Ids } from '../shared/ports.ts';

/** Every call of the returned function starts from the first id again. */
export function replayableIds(ids: Ids): () => Ids {
  const made: string[] = [];
  return () => {
    let at = 0;
    const fresh = (prefix: string): string => {
      const known = made[at];
      const id = known?.startsWith(`${prefix}_`) ? known : ids.fresh(prefix);
      made[at++] = id;
      return id;
    };
    return { ...ids, fresh };
  };
}
