/** A channel's pace: one bucket for the number, one for each pair of number and contact. */
import type { Pace } from '../domain/organization-state.ts';
import { type Bucket, type BucketRule, fullBucket, refill, spend, waitMs } from '../domain/pace.ts';
import type { Lane } from './lanes.ts';

/** Pairs with a full bucket are as good as unknown: beyond so many they are forgotten. */
const PAIRS_KEPT = 10_000;
const ROUNDS_PER_SECOND = 4;

export interface PaceNow {
  readonly pace: Pace;
  /** Monotonic milliseconds. */
  readonly now: number;
}

export class PacedNumber {
  #bucket: Bucket | null = null;
  readonly #pairs = new Map<string, Bucket>();

  /** How many the number may send now; `now` is monotonic milliseconds. */
  room(pace: Pace, now: number): number {
    this.#bucket = refill(this.#bucket ?? fullBucket(numberRule(pace), now), numberRule(pace), now);
    return Math.floor(this.#bucket.tokens);
  }

  /** The number sends so many; `room` was asked before. */
  spend(sends: number): void {
    if (this.#bucket) this.#bucket = spend(this.#bucket, sends);
  }

  /** So many were not sent after all. */
  giveBack(sends: number): void {
    this.spend(-sends);
  }

  /** Milliseconds until the number may send so many. */
  waitMs(pace: Pace, sends = 1): number {
    return this.#bucket ? waitMs(this.#bucket, numberRule(pace), sends) : 0;
  }

  /** One message alone: true where number and pair may send it now, which is spent. */
  spendOne(conversationId: string, { pace, now }: PaceNow): boolean {
    if (this.room(pace, now) < 1 || this.#spendPair(conversationId, { pace, now }) > 0)
      return false;
    this.spend(1);
    return true;
  }

  /** Those whose pair may send now, which is spent; the others are told how long to wait. */
  withinPair<T extends { readonly lane: Lane }>(
    taken: readonly T[],
    paceNow: PaceNow,
    wait: (lane: Lane, waitMs: number) => void,
  ): T[] {
    return taken.filter(({ lane }) => {
      const ms = this.#spendPair(lane.conversationId, paceNow);
      if (ms > 0) wait(lane, ms);
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

  #forgetFull(rule: BucketRule, now: number): void {
    for (const [conversationId, bucket] of this.#pairs) {
      if (refill(bucket, rule, now).tokens >= rule.burst) this.#pairs.delete(conversationId);
    }
  }
}

function numberRule({ perSecond }: Pace): BucketRule {
  return { burst: Math.max(1, perSecond), everyMs: 1000 / perSecond };
}

/**
 * Under a backlog the number's pace is used a quarter of a second at a time: a round of twenty
 * costs the store hardly more than a message alone (a send one by one costs 14 ms of CPU in all).
 */
export function roundOf({ perSecond }: Pace, queued: number): number {
  return Math.min(queued, Math.max(1, Math.floor(perSecond / ROUNDS_PER_SECOND)));
}
