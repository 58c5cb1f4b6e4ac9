/**
 * Circuit breaker of a subscription: a slow or dead subscriber parks its own deliveries and harms
 * no other (D39, D40). Pure decisions on plain JSON, stored in the subscription's document.
 *
 * 1. It opens at 10 or more attempts within 5 minutes of which 70 % failed, or at 5 time-outs in a
 *    row. Both need failures of more than one delivery.
 * 2. While it is open, one probe passes after 30 s, then after twice the wait, up to 10 minutes.
 *    The claim of a probe already sets the time of the next one: a crash loses no probe.
 * 3. A success closes it, whichever attempt it was.
 * 4. Five days of failures without one success disable the subscription. The days count from the
 *    first failure: silence alone disables none.
 * 5. Its size is bounded: one interval for each 10 s of the window, two delivery ids in each.
 */

export const WINDOW_MS = 5 * 60_000;
export const INTERVAL_MS = 10_000;
const OPENING_ATTEMPTS = 10;
const OPENING_FAILED_PERCENT = 70;
const OPENING_TIMEOUTS = 5;
export const PROBE_FIRST_MS = 30_000;
export const PROBE_MAX_MS = 10 * 60_000;
export const DISABLE_AFTER_MS = 5 * 24 * 60 * 60_000;
const IDS_MAX = 2;

/** Attempts that ended in one interval of the window. `at` is its start, epoch milliseconds. */
export interface WindowInterval {
  readonly at: number;
  readonly made: number;
  readonly failed: number;
  /** Up to two deliveries that failed in it: enough to detect more than one. */
  readonly failing: readonly string[];
}

export interface Breaker {
  readonly tallies: readonly WindowInterval[];
  readonly timeouts: { readonly inRow: number; readonly failing: readonly string[] };
  /** Null while closed. */
  readonly open: Readonly<{ since: number; probeAt: number; waitMs: number }> | null;
  /** Time of the first failure after the last success. */
  readonly failingSince: number | null;
}

/** The outcome of a `probe` is recorded with `probe: true`. */
export type Admission =
  | { readonly admit: 'attempt' }
  | { readonly admit: 'probe'; readonly breaker: Breaker }
  | { readonly admit: 'none'; readonly until: number };

export interface AttemptResult {
  readonly deliveryId: string;
  readonly result: 'succeeded' | 'failed' | 'timed_out';
  readonly probe: boolean;
  readonly now: number;
}

export interface BreakerDecision {
  readonly breaker: Breaker;
  readonly change: 'opened' | 'closed' | null;
  /** Five days without one success: the subscription is to be disabled. */
  readonly disable: boolean;
}

/** A breaker without history; also that of a subscription that was enabled again. */
export function newBreaker(): Breaker {
  return { tallies: [], timeouts: { inRow: 0, failing: [] }, open: null, failingSince: null };
}

/** Whether a due delivery may be attempted now. A manual retry needs no admission. */
export function decideAdmission(breaker: Breaker, now: number): Admission {
  const { open } = breaker;
  if (open === null) return { admit: 'attempt' };
  if (now < open.probeAt) return { admit: 'none', until: open.probeAt };
  return { admit: 'probe', breaker: { ...breaker, open: { ...open, probeAt: now + open.waitMs } } };
}

/** The breaker after the result of one attempt. */
export function recordResult(breaker: Breaker, attempt: AttemptResult): BreakerDecision {
  if (attempt.result === 'succeeded') return afterSuccess(breaker, attempt.now);
  const failingSince = breaker.failingSince ?? attempt.now;
  const failed: Breaker = {
    tallies: recordInWindow(breaker.tallies, attempt),
    timeouts: timeoutsAfter(breaker, attempt),
    open: openAfter(breaker, attempt),
    failingSince,
  };
  const disable = attempt.now - failingSince >= DISABLE_AFTER_MS;
  if (failed.open !== null || !shouldOpen(failed))
    return { breaker: failed, change: null, disable };
  const { now } = attempt;
  const open = { since: now, probeAt: now + PROBE_FIRST_MS, waitMs: PROBE_FIRST_MS };
  return { breaker: { ...failed, open }, change: 'opened', disable };
}

function afterSuccess(breaker: Breaker, now: number): BreakerDecision {
  if (breaker.open !== null) return { breaker: newBreaker(), change: 'closed', disable: false };
  const result = { deliveryId: '', result: 'succeeded', probe: false, now } as const;
  const tallies = recordInWindow(breaker.tallies, result);
  return { breaker: { ...newBreaker(), tallies }, change: null, disable: false };
}

function recordInWindow(tallies: readonly WindowInterval[], attempt: AttemptResult) {
  const { now, deliveryId } = attempt;
  const failed = attempt.result === 'succeeded' ? 0 : 1;
  const recent = tallies.filter((interval) => interval.at > now - WINDOW_MS);
  const last = recent.at(-1);
  const start = now - (now % INTERVAL_MS);
  if (last === undefined || last.at < start) {
    return [...recent, { at: start, made: 1, failed, failing: failed ? [deliveryId] : [] }];
  }
  const failing = failed ? withId(last.failing, deliveryId) : last.failing;
  const grown = { at: last.at, made: last.made + 1, failed: last.failed + failed, failing };
  return [...recent.slice(0, -1), grown];
}

function timeoutsAfter(breaker: Breaker, attempt: AttemptResult): Breaker['timeouts'] {
  if (attempt.result !== 'timed_out') return { inRow: 0, failing: [] };
  const { inRow, failing } = breaker.timeouts;
  return { inRow: inRow + 1, failing: withId(failing, attempt.deliveryId) };
}

function openAfter(breaker: Breaker, attempt: AttemptResult): Breaker['open'] {
  const { open } = breaker;
  if (open === null || !attempt.probe) return open;
  const waitMs = Math.min(2 * open.waitMs, PROBE_MAX_MS);
  return { ...open, waitMs, probeAt: attempt.now + waitMs };
}

function shouldOpen({ tallies, timeouts }: Breaker): boolean {
  if (timeouts.inRow >= OPENING_TIMEOUTS && timeouts.failing.length > 1) return true;
  const made = tallies.reduce((sum, interval) => sum + interval.made, 0);
  const failed = tallies.reduce((sum, interval) => sum + interval.failed, 0);
  const failing = new Set(tallies.flatMap((interval) => interval.failing));
  const often = made >= OPENING_ATTEMPTS && failed * 100 >= made * OPENING_FAILED_PERCENT;
  return often && failing.size > 1;
}

function withId(ids: readonly string[], id: string): readonly string[] {
  return ids.includes(id) || ids.length >= IDS_MAX ? ids : [...ids, id];
}
