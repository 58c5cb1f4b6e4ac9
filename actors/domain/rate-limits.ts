/**
 * Rate limits. Calls have fixed windows for the key and for the organization (C5, C8, D34). Sends
 * to a number, or to a pair of number and contact, have a token bucket.
 *
 * 1. A window lasts 60 s and opens with its first call. Only an admitted call counts.
 * 2. A call counts in both windows, its key's and its organization's, or in neither. Some routes
 *    are not counted.
 */
import { RATE_WINDOW_MS } from '../../shared/limits.ts';
import type { Rate } from '../../shared/wire/caller.ts';

export interface RateWindow {
  /** Epoch milliseconds. */
  readonly openedAt: number;
  readonly calls: number;
}

export interface RateLimitDecision {
  readonly admitted: boolean;
  readonly key: RateWindow;
  readonly org: RateWindow;
  readonly rates: { readonly key: Rate; readonly org: Rate };
  /** Whole seconds until every full window has closed; set when not admitted. */
  readonly retryAfterSeconds?: number;
}

export interface RateLimitInput {
  readonly key: RateWindow | undefined;
  readonly org: RateWindow | undefined;
  readonly keyLimit: number;
  readonly orgLimit: number;
  /** False: the call counts in no window, and no full window refuses it. */
  readonly isCounted?: boolean;
}

export function decideRateLimit(input: RateLimitInput, now: number): RateLimitDecision {
  const { keyLimit, orgLimit, isCounted = true } = input;
  const before = { key: current(input.key, now), org: current(input.org, now) };
  const keyFull = before.key.calls >= keyLimit;
  const orgFull = before.org.calls >= orgLimit;
  const admitted = !isCounted || (!keyFull && !orgFull);
  const counted = Number(admitted && isCounted);
  const key = { ...before.key, calls: before.key.calls + counted };
  const org = { ...before.org, calls: before.org.calls + counted };
  const rates = { key: rateOf(key, keyLimit, now), org: rateOf(org, orgLimit, now) };
  if (admitted) return { admitted, key, org, rates };
  const retryAfterSeconds = Math.max(
    keyFull ? rates.key.resetSeconds : 1,
    orgFull ? rates.org.resetSeconds : 1,
  );
  return { admitted, key, org, rates, retryAfterSeconds };
}

/** A window's share that one process gets at once, of what is left. */
const SLICE_SHARE = 64;
/** A smaller share is admitted one by one, so that the end of a window is exact. */
const SLICE_MIN = 64;

export interface SlicedWindows {
  /** 0: too few are left. */
  readonly calls: number;
  /** Milliseconds until the first of both windows closes. */
  readonly forMs: number;
  /** The windows with the calls counted. */
  readonly key: RateWindow;
  readonly org: RateWindow;
}

export interface SliceInput extends Omit<RateLimitInput, 'isCounted'> {
  /** No more than so many. */
  readonly calls: number;
}

/** Calls of both windows for a process that admits them by itself (D346). */
export function sliceOf(input: SliceInput, now: number): SlicedWindows {
  const [key, org] = [current(input.key, now), current(input.org, now)];
  const left = Math.min(input.keyLimit - key.calls, input.orgLimit - org.calls);
  const share = Math.floor(left / SLICE_SHARE);
  const calls = share < SLICE_MIN ? 0 : Math.min(share, input.calls);
  return {
    calls,
    forMs: Math.min(key.openedAt, org.openedAt) + RATE_WINDOW_MS - now,
    key: { ...key, calls: key.calls + calls },
    org: { ...org, calls: org.calls + calls },
  };
}

function current(window: RateWindow | undefined, now: number): RateWindow {
  // A clock that went back must not keep a window open for longer than its length.
  if (!window || Math.abs(now - window.openedAt) >= RATE_WINDOW_MS) {
    return { openedAt: now, calls: 0 };
  }
  // The previous owner's clock may have been ahead: its calls still count.
  return now < window.openedAt ? { ...window, openedAt: now } : window;
}

function rateOf(window: RateWindow, limit: number, now: number): Rate {
  const resetSeconds = Math.ceil((window.openedAt + RATE_WINDOW_MS - now) / 1000);
  return {
    limit,
    remaining: Math.max(0, limit - window.calls),
    resetSeconds: Math.max(1, resetSeconds),
  };
}

export interface TokenBucket {
  readonly tokens: number;
  /** Epoch milliseconds of the last refill. */
  readonly at: number;
}

export interface TokenBucketRule {
  /** The most messages that can be sent at once. */
  readonly burst: number;
  /** Milliseconds until one more token. */
  readonly everyMs: number;
}

export function fullBucket(rule: TokenBucketRule, now: number): TokenBucket {
  return { tokens: rule.burst, at: now };
}

export function refill(bucket: TokenBucket, rule: TokenBucketRule, now: number): TokenBucket {
  const elapsedMs = Math.max(0, now - bucket.at);
  return { tokens: Math.min(rule.burst, bucket.tokens + elapsedMs / rule.everyMs), at: now };
}

/** A bucket that was just refilled, without the tokens of the sends. */
export function spend(bucket: TokenBucket, sends: number): TokenBucket {
  return { ...bucket, tokens: bucket.tokens - sends };
}

/** Milliseconds until the bucket holds enough tokens for `sends`. */
export function waitMs(bucket: TokenBucket, rule: TokenBucketRule, sends = 1): number {
  return bucket.tokens >= sends ? 0 : Math.ceil((sends - bucket.tokens) * rule.everyMs);
}
