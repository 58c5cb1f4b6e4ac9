/** A channel's pace: one bucket for the number, one for each pair of number and contact. */
import type { Pace } from '../domain/organization/state.ts';
import {
  fullBucket,
  refill,
  spend,
  type TokenBucket,
  type TokenBucketRule,
  waitMs,
} from '../domain/token-bucket.ts';
import type { ConversationQueue } from './conversation-queues.ts';

/** Pairs with a full bucket are as good as unknown: beyond so many they are forgotten. */
const PAIRS_KEPT = 10_000;
const BATCHES_PER_SECOND = 4;

export interface PaceNow {
  readonly pace: Pace;
  /** Monotonic milliseconds. */
  readonly now: number;
}

export class RateLimiter {
  #bucket: TokenBucket | null = null;
  readonly #pairs = new Map<string, TokenBucket>();

  /** How many the number may send now; `now` is monotonic milliseconds. */
  available(pace: Pace, now: number): number {
    this.#bucket = refill(this.#bucket ?? fullBucket(numberRule(pace), now), numberRule(pace), now);
    return Math.floor(this.#bucket.tokens);
  }

  /** The number sends so many; `room` was asked before. */
  spend(sends: number): void {
    if (this.#bucket) this.#bucket = spend(this.#bucket, sends);
  }

  /** So many were not sent after all. */
  refund(sends: number): void {
    this.spend(-sends);
  }

  /** Milliseconds until the number may send so many. */
  waitMs(pace: Pace, sends = 1): number {
    return this.#bucket ? waitMs(this.#bucket, numberRule(pace), sends) : 0;
  }

  /** One message alone: true where number and pair may send it now, which is spent. */
  trySpend(conversationId: string, { pace, now }: PaceNow): boolean {
    if (this.available(pace, now) < 1 || this.#spendPair(conversationId, { pace, now }) > 0)
      return false;
    this.spend(1);
    return true;
  }

  /** Those whose pair may send now, which is spent; the others are told how long to wait. */
  spendPairs<T extends { readonly queue: ConversationQueue }>(
    dequeued: readonly T[],
    paceNow: PaceNow,
    wait: (queue: ConversationQueue, waitMs: number) => void,
  ): T[] {
    return dequeued.filter(({ queue }) => {
      const ms = this.#spendPair(queue.conversationId, paceNow);
      if (ms > 0) wait(queue, ms);
      return ms === 0;
    });
  }

  /** Milliseconds until the pair may send; 0: it may now, which is spent. */
  #spendPair(conversationId: string, { pace, now }: PaceNow): number {
    const rule = { burst: pace.pairBurst, everyMs: pace.pairEveryMs };
    if (this.#pairs.size > PAIRS_KEPT) this.#forgetFull(rule, now);
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
 * Under a backlog the number's pace is used a quarter of a second at a time: a round of twenty
 * costs the store hardly more than a message alone (a send one by one costs 14 ms of CPU in all).
 */
export function batchSize({ perSecond }: Pace, queued: number): number {
  return Math.min(queued, Math.max(1, Math.floor(perSecond / BATCHES_PER_SECOND)));
}
