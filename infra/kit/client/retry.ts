/**
 * Whether a call is repeated, and when (D267).
 *
 * 1. Only a lost answer, a fault (5xx), 429, and 409 with `Retry-After` are repeated.
 * 2. No repeat comes before the answer's `Retry-After`.
 * 3. Without one the waits grow, and differ by chance.
 * 4. No wait ends after `retryForMs`: the last answer counts instead.
 */
const FIRST_MS = 500;
const LONGEST_MS = 30_000;
const SPREAD_MS = 250;

export interface Attempted {
  /** 1 is the first attempt. */
  readonly attempt: number;
  /** Since the first attempt began. */
  readonly elapsedMs: number;
  /** Null: no answer. */
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
}

export interface RetryPolicy {
  readonly retryForMs: number;
  /** Chance, from 0 up to 1. */
  readonly unit: number;
}

/** Milliseconds to wait; null when the outcome counts. */
export function waitBeforeRepeat(attempted: Attempted, policy: RetryPolicy): number | null {
  if (!mayRepeat(attempted)) return null;
  const { attempt, elapsedMs, retryAfterSeconds } = attempted;
  const waitMs =
    retryAfterSeconds === null
      ? backOffMs(attempt, policy.unit)
      : retryAfterSeconds * 1000 + SPREAD_MS * policy.unit;
  return elapsedMs + waitMs > policy.retryForMs ? null : waitMs;
}

/** Grows from attempt to attempt, up to 30 s. */
export function backOffMs(attempt: number, unit: number): number {
  return Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS) * (0.5 + unit / 2);
}

function mayRepeat({ status, retryAfterSeconds }: Attempted): boolean {
  if (status === null || status >= 500 || status === 429) return true;
  return status === 409 && retryAfterSeconds !== null;
}
