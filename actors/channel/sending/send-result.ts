/** Result of one send for its conversation's queue. */
import type { SendOutcome } from '../../../shared/ports/network.ts';
import { delayMs } from '../../runtime/repeat.ts';

export type Later = Extract<SendOutcome, { outcome: 'later' }>;

/** Why a message waits that the network does not take from the number now. */
export type Hold = 'as first' | 'unpaid';

export type SendResult =
  /** `byNetwork`: the network answered, so it works. `accepted`: the network has the message. */
  | { readonly result: 'done'; readonly byNetwork: boolean; readonly accepted?: true }
  /** It left the queue unsent: those before it may still wait. */
  | { readonly result: 'cancelled' }
  /**
   * The outcome is unknown, and the message is read again. `unanswered`: the network did not answer
   * the send.
   */
  | { readonly result: 'ambiguous'; readonly waitMs: number; readonly unanswered?: true }
  | { readonly result: 'later'; readonly later: Later }
  /** The network does not take it from the number now: it waits in the queue. */
  | { readonly result: 'held'; readonly held: Hold; readonly waitMs: number }
  /** Another message of its conversation was found to go before it, or to have gone. */
  | { readonly result: 'preceded' }
  /** The store failed: nothing was sent to the network. */
  | { readonly result: 'retry'; readonly waitMs: number };

const GROWTH = 1.5;
/** Every agenda makes progress within 15 s of the last fault (I11). */
const LONGEST_WAIT_MS = 10_000;
/** The network asks for waits of 4^X after its pair limit. */
const PAIR_GROWTH = 4;
const PAIR_GROWTH_STEPS = 4;

/** Milliseconds to wait. `refusals`: consecutive ones of the conversation, with this one. */
export function backoffMs(
  later: Pick<Later, 'scope' | 'waitMs' | 'failure' | 'unprobed' | 'restriction'>,
  refusals: number,
): number {
  if (later.unprobed || later.restriction) return later.waitMs;
  const steps = Math.max(0, refusals - 1);
  if (later.scope === 'pair' && later.failure === undefined) {
    return later.waitMs * PAIR_GROWTH ** Math.min(steps, PAIR_GROWTH_STEPS);
  }
  return delayMs({ firstMs: later.waitMs, growth: GROWTH, maxMs: LONGEST_WAIT_MS }, steps);
}
