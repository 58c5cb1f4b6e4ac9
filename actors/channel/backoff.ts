/** How long a message that the network turned away has to wait. */
import type { SendOutcome } from '../../shared/ports/network.ts';

export type Later = Extract<SendOutcome, { outcome: 'later' }>;

const GROWTH = 1.5;
/** Every agenda moves within 15 s of the last fault (I11). */
const LONGEST_WAIT_MS = 10_000;
/** The network itself asks for waits of 4^X after its pair limit. */
const PAIR_GROWTH = 4;
const PAIR_GROWTH_STEPS = 4;

/**
 * Milliseconds to wait.
 * @param refusals how often in a row the conversation has been turned away, this time included
 */
export function backoffMs(
  later: Pick<Later, 'scope' | 'waitMs' | 'failure' | 'unprobed'>,
  refusals: number,
): number {
  if (later.unprobed) return later.waitMs;
  const steps = Math.max(0, refusals - 1);
  if (later.scope === 'pair' && later.failure === undefined) {
    return later.waitMs * PAIR_GROWTH ** Math.min(steps, PAIR_GROWTH_STEPS);
  }
  // Beyond these steps any wait has reached its longest.
  return Math.min(later.waitMs * GROWTH ** Math.min(steps, 30), LONGEST_WAIT_MS);
}
