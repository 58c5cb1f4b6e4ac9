/** Exponential backoff of a message that the network rejected for now. */
import type { SendOutcome } from '../../shared/ports/network.ts';

export type Later = Extract<SendOutcome, { outcome: 'later' }>;

const GROWTH = 1.5;
/** Every agenda makes progress within 15 s of the last fault (I11). */
const LONGEST_WAIT_MS = 10_000;
/** The network asks for waits of 4^X after its pair limit. */
const PAIR_GROWTH = 4;
const PAIR_GROWTH_STEPS = 4;

/**
 * Milliseconds to wait.
 * @param refusals consecutive rejections of the conversation, including this one
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
  // Any wait reaches its maximum before 30 steps.
  return Math.min(later.waitMs * GROWTH ** Math.min(steps, 30), LONGEST_WAIT_MS);
}
