/**
 * Decisions about one delivery: one event for one subscription (C6, D37, D38). Pure: the owner
 * supplies the time, the randomness and the outcome of each POST.
 *
 * 1. An attempt is counted when it is claimed, before its POST. A crash may spend one; there are
 *    never more than 7 automatic ones.
 * 2. The wait before a retry is never shorter than the previous wait.
 * 3. A delivery that succeeded is attempted no more.
 * 4. A claimed delivery stays due at a time, so that it is found again after a crash.
 * 5. A manual retry makes one attempt beyond the 7; a failed one restores the previous state.
 * 6. The document is bounded: only the newest 20 attempts are kept.
 */
import { CONTRACT_EVENTS, EVERY_CONTRACT_EVENT } from '../../shared/events.ts';
import { DELIVERY_JITTER_RATIO, DELIVERY_RETRIES } from '../../shared/limits.ts';
import type { PostOutcome } from '../../shared/ports/outbound.ts';
import type { DeliveryStatus } from '../../shared/vocabulary.ts';

const DELIVERY_ATTEMPTS_MAX = 1 + DELIVERY_RETRIES;
/** The newest: an older one is dropped. */
export const RECORDED_ATTEMPTS_MAX = 20;
/** Due time of a claim that no wait follows, after which the next owner finds it. */
const CLAIM_REVISIT_MS = 15_000;
const CONTRACT_NAMES: ReadonlySet<string> = new Set(CONTRACT_EVENTS);

/** Whether a subscription to `events` receives the event called `name`. */
export function subscribes(events: readonly string[], name: string): boolean {
  if (events.includes(name)) return true;
  return events.includes(EVERY_CONTRACT_EVENT) && CONTRACT_NAMES.has(name);
}

/** One POST as it is listed. `at` is epoch milliseconds, `status` null without a response head. */
export interface Attempt {
  readonly at: number;
  readonly status: number | null;
  readonly ms: number;
  readonly error: string | null;
  readonly response?: string;
}

/** The state to which a failed manual retry returns. */
export interface Resumption {
  readonly status: Exclude<DeliveryStatus, 'succeeded'>;
  readonly nextAttemptAt: number | null;
}

/** The mutable part of a delivery's document. Times are epoch milliseconds. */
export interface DeliveryState {
  readonly status: DeliveryStatus;
  /** Claimed attempts, except manual retries. */
  readonly counted: number;
  readonly attempts: readonly Attempt[];
  readonly underWay: { readonly at: number; readonly byHand: boolean } | null;
  readonly nextAttemptAt: number | null;
  readonly lastWaitMs: number;
  /** Set while a manual retry waits or is under way. */
  readonly byHand: Resumption | null;
}

/** `schedule`: the waits in milliseconds. `unit`: uniform in [0, 1). */
export interface RetryContext {
  readonly now: number;
  readonly schedule: readonly number[];
  readonly unit: number;
}

export type AttemptDecision =
  | { readonly decision: 'attempt'; readonly delivery: DeliveryState }
  | { readonly decision: 'wait'; readonly at: number }
  /** An attempt is claimed: `decideOutcome` or `decideInterrupted` must precede the next one. */
  | { readonly decision: 'under_way' }
  /** Nothing to attempt: succeeded, failed or parked. */
  | { readonly decision: 'idle' };

/** `gone` is a 410: the delivery has failed and the subscription is to be disabled. */
export type OutcomeDecision = { readonly delivery: DeliveryState } & (
  | { readonly decision: 'succeeded' | 'failed' | 'parked' | 'gone' }
  | { readonly decision: 'retry'; readonly at: number }
);

/** A new delivery: due at once, or parked while its subscription is disabled. */
export function newDelivery(now: number, status: 'pending' | 'parked' = 'pending'): DeliveryState {
  return {
    status,
    counted: 0,
    attempts: [],
    underWay: null,
    nextAttemptAt: status === 'pending' ? now : null,
    lastWaitMs: 0,
    byHand: null,
  };
}

/** A new delivery with its first attempt claimed by the insert. */
export function newClaimed(context: RetryContext): DeliveryState {
  return claim(newDelivery(context.now), context);
}

export interface WaitInput {
  readonly previousWaitMs: number;
  /** Uniform in [0, 1). */
  readonly unit: number;
  /** The response's `Retry-After`, if any. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The wait after `attempt` (1-based), in milliseconds: the schedule's ±10 %, never shorter than the
 * previous wait. `Retry-After` lengthens it up to twice the schedule's wait, but not beyond the
 * schedule's next one. Null when no retry is left.
 */
export function nextWaitMs(
  schedule: readonly number[],
  attempt: number,
  { previousWaitMs, unit, retryAfterMs = 0 }: WaitInput,
): number | null {
  const baseMs = schedule[attempt - 1];
  if (baseMs === undefined || attempt >= DELIVERY_ATTEMPTS_MAX) return null;
  const jitteredMs = Math.round(baseMs * (1 + DELIVERY_JITTER_RATIO * (2 * unit - 1)));
  const waitMs = Math.max(jitteredMs, previousWaitMs);
  const askedMs = Math.min(retryAfterMs, 2 * baseMs, schedule[attempt] ?? 2 * baseMs);
  return Math.max(waitMs, Math.round(askedMs));
}

/** Claims the next attempt of a delivery, if it is due (rules 1 and 4 above). */
export function decideAttempt(delivery: DeliveryState, context: RetryContext): AttemptDecision {
  const { status, counted, underWay, nextAttemptAt, byHand } = delivery;
  if (underWay !== null) return { decision: 'under_way' };
  if (status !== 'pending' || nextAttemptAt === null) return { decision: 'idle' };
  if (nextAttemptAt > context.now) return { decision: 'wait', at: nextAttemptAt };
  if (byHand === null && counted >= DELIVERY_ATTEMPTS_MAX) return { decision: 'idle' };
  return { decision: 'attempt', delivery: claim(delivery, context) };
}

function claim(delivery: DeliveryState, { now, schedule, unit }: RetryContext): DeliveryState {
  const byHand = delivery.byHand !== null;
  const counted = delivery.counted + (byHand ? 0 : 1);
  const previousWaitMs = delivery.lastWaitMs;
  const waitMs = byHand ? null : nextWaitMs(schedule, counted, { previousWaitMs, unit });
  return {
    ...delivery,
    counted,
    underWay: { at: now, byHand },
    nextAttemptAt: now + (waitMs ?? CLAIM_REVISIT_MS),
  };
}

/**
 * Undoes the claim of an attempt that is not made: it does not count, and the delivery is due as
 * `before`. A manual retry that was requested meanwhile is kept.
 */
export function releaseClaim(claimed: DeliveryState, before: DeliveryState): DeliveryState {
  const { counted, underWay, nextAttemptAt } = before;
  return { ...claimed, counted, underWay, nextAttemptAt };
}

/** The delivery after the outcome of the attempt under way. */
export function decideOutcome(
  delivery: DeliveryState,
  outcome: PostOutcome,
  { now, schedule, unit }: RetryContext,
): OutcomeDecision {
  if (delivery.status === 'succeeded') return { decision: 'succeeded', delivery };
  const recorded = withAttempt(delivery, attemptOf(delivery, outcome, now));
  if (isSuccess(outcome)) return { decision: 'succeeded', delivery: ended(recorded, 'succeeded') };
  if (outcome.ok && outcome.status === 410) {
    return { decision: 'gone', delivery: ended(recorded, 'failed') };
  }
  if (delivery.underWay?.byHand === true) return resumed(recorded, now);
  const { counted, lastWaitMs: previousWaitMs } = recorded;
  const retryAfterMs = outcome.ok ? outcome.retryAfterMs : undefined;
  const waitMs = nextWaitMs(schedule, counted, { previousWaitMs, unit, retryAfterMs });
  return afterFailure(recorded, waitMs, now);
}

/**
 * The delivery after its owner died between claim and outcome; null when nothing is claimed. The
 * caller must know that no such attempt is under way.
 */
export function decideInterrupted(delivery: DeliveryState, now: number): OutcomeDecision | null {
  const { underWay, nextAttemptAt } = delivery;
  if (underWay === null || delivery.status === 'succeeded') return null;
  const { at, byHand } = underWay;
  const recorded = withAttempt(delivery, { at, status: null, ms: 0, error: 'interrupted' });
  if (byHand) return resumed(recorded, now);
  const exhausted = recorded.counted >= DELIVERY_ATTEMPTS_MAX || nextAttemptAt === null;
  return afterFailure(recorded, exhausted ? null : nextAttemptAt - at, at);
}

/**
 * Manual retry (D45): one attempt, now, regardless of earlier attempts and of the breaker. Null
 * after a success.
 */
export function decideManualRetry(delivery: DeliveryState, now: number): DeliveryState | null {
  if (delivery.status === 'succeeded') return null;
  if (delivery.underWay?.byHand === true) return delivery;
  const nextAttemptAt = delivery.underWay === null ? now : delivery.nextAttemptAt;
  return { ...delivery, status: 'pending', byHand: automaticPart(delivery), nextAttemptAt };
}

/** Parks a delivery without spending an attempt; a waiting manual retry is still made. */
export function park(delivery: DeliveryState): DeliveryState {
  if (delivery.byHand?.status === 'pending') {
    return { ...delivery, byHand: { ...delivery.byHand, status: 'parked' } };
  }
  if (delivery.byHand !== null || delivery.status !== 'pending') return delivery;
  return { ...delivery, status: 'parked' };
}

/** The delivery of a removed subscription: it fails, since no subscriber is left. */
export function undeliverable(delivery: DeliveryState): DeliveryState {
  return { ...delivery, status: 'failed', underWay: null, nextAttemptAt: null, byHand: null };
}

/** Makes a parked delivery due again, but not earlier than before it was parked. */
export function unpark(delivery: DeliveryState, now: number): DeliveryState {
  if (delivery.byHand?.status === 'parked') {
    return { ...delivery, byHand: { ...delivery.byHand, status: 'pending' } };
  }
  if (delivery.status !== 'parked') return delivery;
  return { ...delivery, status: 'pending', nextAttemptAt: notBefore(now, delivery.nextAttemptAt) };
}

/** Whether a POST succeeded: any 2xx; a redirect is a failure (C6.2, D37). */
export function isSuccess(outcome: PostOutcome): boolean {
  return outcome.ok && isSuccessStatus(outcome.status);
}

/** Any 2xx. */
export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status < 300;
}

function attemptOf(delivery: DeliveryState, outcome: PostOutcome, now: number): Attempt {
  const at = delivery.underWay?.at ?? now - outcome.ms;
  if (!outcome.ok) {
    return { at, status: null, ms: outcome.ms, error: `${outcome.kind}: ${outcome.error}` };
  }
  const error = isSuccess(outcome) ? null : `status ${outcome.status}`;
  return { at, status: outcome.status, ms: outcome.ms, error, response: outcome.body };
}

/** The attempt is over; only the newest ones are kept (rule 6 above). */
export function withAttempt(delivery: DeliveryState, attempt: Attempt): DeliveryState {
  const attempts = [...delivery.attempts, attempt].slice(-RECORDED_ATTEMPTS_MAX);
  return { ...delivery, attempts, underWay: null };
}

/** Nothing is attempted any more. */
export function ended(delivery: DeliveryState, status: 'succeeded' | 'failed'): DeliveryState {
  return { ...delivery, status, nextAttemptAt: null, byHand: null };
}

/** State of the delivery without its manual retry. */
function automaticPart(delivery: DeliveryState): Resumption {
  if (delivery.byHand !== null) return delivery.byHand;
  const status = delivery.status === 'succeeded' ? 'failed' : delivery.status;
  return { status, nextAttemptAt: delivery.nextAttemptAt };
}

function afterFailure(delivery: DeliveryState, waitMs: number | null, from: number) {
  const retried = automaticPart(delivery).status === 'parked' ? 'parked' : 'pending';
  const status = waitMs === null ? 'failed' : retried;
  const next: Resumption = { status, nextAttemptAt: waitMs === null ? null : from + waitMs };
  const waited = { ...delivery, lastWaitMs: waitMs ?? delivery.lastWaitMs };
  if (delivery.byHand === null) return decided({ ...waited, ...next });
  return decided({ ...waited, status: 'pending', nextAttemptAt: from, byHand: next });
}

function resumed(delivery: DeliveryState, now: number): OutcomeDecision {
  const { status, nextAttemptAt } = automaticPart(delivery);
  const at = status === 'pending' ? notBefore(now, nextAttemptAt) : nextAttemptAt;
  return decided({ ...delivery, status, nextAttemptAt: at, byHand: null });
}

function decided(delivery: DeliveryState): OutcomeDecision {
  if (delivery.status === 'parked') return { decision: 'parked', delivery };
  if (delivery.status !== 'pending' || delivery.nextAttemptAt === null) {
    return { decision: 'failed', delivery };
  }
  return { decision: 'retry', delivery, at: delivery.nextAttemptAt };
}

function notBefore(now: number, at: number | null): number {
  return at === null ? now : Math.max(now, at);
}
