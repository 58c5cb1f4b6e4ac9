/**
 * Decision about a send in doubt: it is unknown whether the network has it (D51, D148).
 *
 * 1. It is repeated when the network certainly lacks it, or when no look-up can answer. A network
 *    with a look-up allows the second case once in a message's life.
 * 2. While the look-up itself fails, nothing is repeated: the message waits until it is too old.
 * 3. A message that may have been sent ends `sent` or `unconfirmed`, never `expired`.
 */
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../../shared/limits.ts';
import type { SentLookup } from '../../../shared/ports/network.ts';

export interface SendInDoubt {
  /** Null where the network has no look-up. */
  readonly found: SentLookup['found'] | null;
  /** Whether the answer to the last attempt was lost, not only that of an earlier one. */
  readonly sending: boolean;
  /** Number of transmissions that were begun. */
  readonly attempt: number;
  /** The attempt that repeated the message without an answer of the look-up; absent before that. */
  readonly blindAttempt?: number;
  /** Milliseconds for which a status may still arrive. */
  readonly statusWaitMs: number;
  /** Milliseconds since the message was accepted; of a bulk one, since it has been in doubt. */
  readonly ageMs: number;
  /** It may not be sent any more. */
  readonly expired: boolean;
}

export type InDoubtDecision =
  | { readonly next: 'record' }
  | { readonly next: 'wait'; readonly ms: number }
  /** `blind`: the look-up has not shown that the network lacks the message. */
  | { readonly next: 'send'; readonly blind: boolean }
  | { readonly next: 'fail' };

/** After this many lost answers in a row another attempt does more harm than good. */
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
  if (found !== false && (tooOld || inDoubt.expired)) return { next: 'fail' };
  if (sending && attempt >= ATTEMPTS_MAX) return { next: 'fail' };
  if (found !== 'never') return { next: 'send', blind: false };
  // A refused repeat gives its attempt back: nothing was repeated.
  const repeated = inDoubt.blindAttempt !== undefined && attempt >= inDoubt.blindAttempt;
  return repeated ? { next: 'fail' } : { next: 'send', blind: true };
}
