/** Token buckets of a channel: one for the number, one for each pair of number and contact. */
import type { Pace } from '../../domain/organization.ts';
import {
  fullBucket,
  refill,
  spend,
  type TokenBucket,
  type TokenBucketRule,
  waitMs,
} from '../../domain/rate-limits.ts';

/** Beyond this number, pairs with a full bucket are forgotten: they equal unknown pairs. */
const PAIRS_MAX = 10_000;
const BATCHES_PER_SECOND = 4;

export interface PaceNow {
  readonly pace: Pace;
  /** Monotonic milliseconds. */
  readonly now: number;
}

export class RateLimiter {
  #bucket: TokenBucket | null = null;
  readonly #pairs = new Map<string, TokenBucket>();

  /** Number of messages that the number may send now; `now` is monotonic milliseconds. */
  available(pace: Pace, now: number): number {
    this.#bucket = refill(this.#bucket ?? fullBucket(numberRule(pace), now), numberRule(pace), now);
    return Math.floor(this.#bucket.tokens);
  }

  /** Spends tokens of the number; `available` refills them first. */
  spend(sends: number): void {
    if (this.#bucket) this.#bucket = spend(this.#bucket, sends);
  }

  /** Returns the token of a message that was not sent. */
  refund(): void {
    this.spend(-1);
  }

  /** Returns the token of a pair to which nothing was sent. */
  refundPair(conversationId: string): void {
    const bucket = this.#pairs.get(conversationId);
    if (bucket) this.#pairs.set(conversationId, spend(bucket, -1));
  }

  /** Milliseconds until the number may send this many messages. */
  waitMs(pace: Pace, sends = 1): number {
    return this.#bucket ? waitMs(this.#bucket, numberRule(pace), sends) : 0;
  }

  /** Spends one token of number and pair; false where one of them has none. */
  trySpend(conversationId: string, { pace, now }: PaceNow): boolean {
    if (this.available(pace, now) < 1) return false;
    if (this.spendPair(conversationId, { pace, now }) > 0) return false;
    this.spend(1);
    return true;
  }

  /** Milliseconds until the pair may send; 0: a token is spent, and it may send now. */
  spendPair(conversationId: string, { pace, now }: PaceNow): number {
    const rule = { burst: pace.pairBurst, everyMs: pace.pairEveryMs };
    if (this.#pairs.size > PAIRS_MAX) this.#forgetFull(rule, now);
    const bucket = refill(this.#pairs.get(conversationId) ?? fullBucket(rule, now), rule, now);
    if (bucket.tokens < 1) return waitMs(bucket, rule);
    this.#pairs.set(conversationId, spend(bucket, 1));
    return 0;
  }

  #forgetFull(rule: TokenBucketRule, now: number): void {
    for (const [conversationId, bucket] of this.#pairs) {
      if (refill(bucket, rule, now).tokens >= rule.burst) this.#pairs.delete(conversationId);
    }
  }
}

function numberRule({ perSecond }: Pace): TokenBucketRule {
  return { burst: Math.max(1, perSecond), everyMs: 1000 / perSecond };
}

/**
 * Batch size: under a backlog a quarter of a second of the number's pace. A batch of twenty costs
 * the store hardly more than one message. Sent one by one, a message costs 14 ms of CPU in all.
 */
export function batchSize({ perSecond }: Pace, queued: number): number {
  return Math.min(queued, Math.max(1, Math.floor(perSecond / BATCHES_PER_SECOND)));
}
