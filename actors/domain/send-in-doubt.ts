/**
 * The decision about a message of which it is not known whether the network has it.
 *
 * 1. It is repeated only when the network surely does not have it, or when no look-up can tell; the
 *    latter once in the message's life where the network has a look-up at all.
 * 2. While the network does not answer the look-up nothing is repeated: the message waits until it
 *    is too old to be sent.
 * 3. A message that may have been sent ends `sent` or `unconfirmed`, never `expired`.
 * Decisions: D51, D148.
 */
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../shared/limits.ts';
import type { SentLookup } from '../../shared/ports/network.ts';

export interface SendInDoubt {
  /** Null where the network has no look-up. */
  readonly found: SentLookup['found'] | null;
  /** Whether the answer to its last attempt was lost, not only the answer to an earlier one. */
  readonly sending: boolean;
  /** How often it was handed over. */
  readonly attempt: number;
  /** The attempt that repeated it though the look-up could not tell; absent before that. */
  readonly blindAttempt?: number;
  /** Milliseconds for which a status may still tell. */
  readonly statusWaitMs: number;
  /** Milliseconds since it was accepted. */
  readonly ageMs: number;
}

export type InDoubtDecision =
  | { readonly next: 'record' }
  | { readonly next: 'wait'; readonly ms: number }
  /** `blind`: nothing has told that the network does not have it. */
  | { readonly next: 'send'; readonly blind: boolean }
  | { readonly next: 'fail' };

/** Beyond this many lost answers in a row sending again does more harm than good. */
export const ATTEMPTS_MAX = 5;
const LOOKUP_RETRY_MS = 3_000;

export function decideInDoubt(inDoubt: SendInDoubt): InDoubtDecision {
  const { found, sending, attempt, statusWaitMs } = inDoubt;
  const tooOld = inDoubt.ageMs > QUEUED_MESSAGE_MAX_AGE_MS;
  if (found === true) return { next: 'record' };
  if (found === 'unknown') {
    if (tooOld) return { next: 'fail' };
    return { next: 'wait', ms: Math.max(statusWaitMs, LOOKUP_RETRY_MS) };
  }
  if (statusWaitMs > 0) return { next: 'wait', ms: statusWaitMs };
  if (found !== false && tooOld) return { next: 'fail' };
  if (sending && attempt >= ATTEMPTS_MAX) return { next: 'fail' };
  if (found !== 'never') return { next: 'send', blind: false };
  // A repeat that was turned away took its attempt back: nothing was repeated.
  const repeated = inDoubt.blindAttempt !== undefined && attempt >= inDoubt.blindAttempt;
  return repeated ? { next: 'fail' } : { next: 'send', blind: true };
}
