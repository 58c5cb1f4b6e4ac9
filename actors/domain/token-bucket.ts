/** Token bucket: the pace of a number, and of a pair of number and contact. */

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
