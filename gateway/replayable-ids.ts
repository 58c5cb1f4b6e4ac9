/**
 * Replayable fresh ids: every preparation of a call gets the same ids. A call is prepared again
 * when its caller has changed meanwhile. The second preparation then creates the same records, or
 * meets those already created.
 */
import type { Ids } from '../shared/ports/ids.ts';

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
