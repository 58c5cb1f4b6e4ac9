/**
 * Token bucket per address for invalid keys: they count against no window, but an address has only
 * so many a minute (D35). A look-up first consumes a token, and a good key refunds it. So many
 * concurrent look-ups gain nothing. Without a token a key waits in the key look-up queue, because
 * good callers may share an address with a bad one.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { KeyLookupQueue } from './key-lookup-queue.ts';

const INVALID_KEYS_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
const ADDRESSES_MAX = 10_000;

interface Bucket {
  tokens: number;
  /** Monotonic milliseconds. */
  filledAt: number;
}

export class Throttle {
  readonly #buckets = new GenerationalCache<string, Bucket>(ADDRESSES_MAX);
  readonly keyLookupQueue: KeyLookupQueue;
  readonly #clock: Clock;

  readonly #perMinute: number;

  constructor(clock: Clock, perMinute = INVALID_KEYS_PER_MINUTE) {
    this.#clock = clock;
    this.#perMinute = perMinute;
    this.keyLookupQueue = new KeyLookupQueue(clock);
  }

  /** @returns 0 when the key may be looked up at once, else the whole seconds to the next token */
  tryConsume(address: string): number {
    const bucket = this.#bucket(address);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    const waitMs = ((1 - bucket.tokens) * MINUTE_MS) / this.#perMinute;
    return Math.max(1, Math.ceil(waitMs / 1000));
  }

  refund(address: string): void {
    const bucket = this.#bucket(address);
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + 1);
  }

  #bucket(address: string): Bucket {
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(address);
    if (!known) {
      const full = { tokens: this.#perMinute, filledAt: now };
      this.#buckets.set(address, full);
      return full;
    }
    const refill = ((now - known.filledAt) * this.#perMinute) / MINUTE_MS;
    known.tokens = Math.min(this.#perMinute, known.tokens + refill);
    known.filledAt = now;
    return known;
  }
}
