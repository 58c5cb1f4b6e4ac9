/**
 * Throttle of the networks' webhooks. Anybody can post to a channel's address, and only the channel's
 * owner can verify what was posted: sixteen bodies of 4 MiB must not keep others from it.
 *
 * 1. A channel that does not exist is found out by a small query, which is remembered.
 * 2. What failed its verification counts in bytes, for the peer and the channel; what was verified
 *    counts only until then. Beyond the budget large bodies are put off. Small ones pass one at a
 *    time, since behind a proxy the network has the address of everybody.
 * 3. Of large bodies two at once go to their owners, of one organization one: its own are verified,
 *    so no budget keeps them from both places.
 */
import { GenerationalCache } from '../../shared/generational-cache.ts';
import {
  ASK_DEADLINE_MS,
  NETWORK_LARGE_AT_ONCE,
  NETWORK_LARGE_BYTES,
  NETWORK_LARGE_PER_ORGANIZATION,
  NETWORK_UNVERIFIED_BYTES,
  NETWORK_WEBHOOK_MAX_BYTES,
} from '../../shared/limits.ts';
import type { AnswerOf, Bus } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Provider } from '../../shared/vocabulary.ts';
import { bodyOfSuccess } from '../../shared/wire/answer.ts';
import { StreamLimiter } from './stream-limiter.ts';

const CHANNELS_MAX = 20_000;
const PAIRS_MAX = 10_000;
/** A new channel is posted to at once: that it was unknown holds for moments. */
const UNKNOWN_MS = 2_000;
/** The owner hears of unsigned posts so often: log and `doctor` show a bridge without a key. */
const REPORT_MS = 10_000;
const MINUTE_MS = 60_000;
/** A body of nothing costs its owner a verification too. */
const COST_MIN_BYTES = 4 * 1024;
/** A large body waits so long for its turn. */
const TURN_MS = 1_000;
const LARGE = 'large';

interface Found {
  readonly orgId: string;
  readonly provider: Provider;
}

interface KnownChannel {
  /** Null where there is none. */
  readonly found: Found | null;
  /** Monotonic milliseconds. */
  readonly at: number;
}

interface Unverified {
  bytes: number;
  filledAt: number;
  inProgress: number;
}

/** Ends the counting of a body. */
export type EndBody = (verified: boolean) => void;

function foundIn(answer: AnswerOf<Found>): Found {
  const { orgId, provider } = bodyOfSuccess(answer, 'a channel was not found');
  return { orgId, provider };
}

export class NetworkThrottle {
  readonly #bus: Pick<Bus, 'query'>;
  readonly #clock: Clock;
  readonly #channels = new GenerationalCache<string, KnownChannel>(CHANNELS_MAX);
  readonly #lookUps = new Map<string, Promise<Found | null>>();
  readonly #reported = new GenerationalCache<string, number>(CHANNELS_MAX);
  readonly #unverified = new GenerationalCache<string, Unverified>(PAIRS_MAX);
  readonly #large: StreamLimiter;
  readonly #largeOfOrganization: StreamLimiter;

  constructor(bus: Pick<Bus, 'query'>, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
    this.#large = new StreamLimiter(clock, NETWORK_LARGE_AT_ONCE);
    this.#largeOfOrganization = new StreamLimiter(clock, NETWORK_LARGE_PER_ORGANIZATION);
  }

  /**
   * The organization of the channel; null where the provider has no such channel, undefined where
   * that is to be asked.
   */
  remembered(channelId: string, provider: Provider): string | null | undefined {
    const known = this.#channels.get(channelId);
    if (known?.found?.provider === provider) return known.found.orgId;
    const isFresh = known !== undefined && this.#clock.monotonic() - known.at < UNKNOWN_MS;
    return isFresh ? null : undefined;
  }

  /**
   * The same, asked.
   * @throws when nobody answers in time
   */
  async find(channelId: string, provider: Provider, requestId: string): Promise<string | null> {
    const asked = this.#lookUps.get(channelId) ?? this.#lookUp(channelId, requestId);
    this.#lookUps.set(channelId, asked);
    const found = await asked;
    return found?.provider === provider ? found.orgId : null;
  }

  /** The owner does not know it any more. */
  forget(channelId: string): void {
    this.#channels.delete(channelId);
  }

  /** Whether the owner is to hear of an unsigned post. */
  isToReport(channelId: string): boolean {
    const now = this.#clock.monotonic();
    const last = this.#reported.get(channelId);
    if (last !== undefined && now - last < REPORT_MS) return false;
    this.#reported.set(channelId, now);
    return true;
  }

  /**
   * Begins to count a body for the peer and the channel; else the seconds until it may come.
   * @param length as the request says it; undefined where it does not
   */
  begin(peer: string, channelId: string, length: number | undefined): EndBody | number {
    const bytes = Math.min(length ?? NETWORK_WEBHOOK_MAX_BYTES, NETWORK_WEBHOOK_MAX_BYTES);
    const cost = Math.max(bytes, COST_MIN_BYTES);
    const pair = this.#pairOf(`${peer} ${channelId}`);
    const isBeyond = pair.bytes < cost;
    if (isBeyond && bytes > NETWORK_LARGE_BYTES) {
      const missing = cost - pair.bytes;
      return Math.ceil((missing * MINUTE_MS) / NETWORK_UNVERIFIED_BYTES / 1_000);
    }
    if (isBeyond && pair.inProgress > 0) return 1;
    const taken = Math.min(cost, pair.bytes);
    pair.bytes -= taken;
    pair.inProgress += 1;
    return (verified) => {
      pair.inProgress -= 1;
      if (verified) pair.bytes = Math.min(NETWORK_UNVERIFIED_BYTES, pair.bytes + taken);
    };
  }

  /**
   * Resolves with the function that ends a large body's turn; null where there is no turn soon.
   * The organization's place comes first: what waits for it keeps no place from others.
   */
  async turnOfLarge(orgId: string): Promise<(() => void) | null> {
    const until = this.#clock.monotonic() + TURN_MS;
    const endOwn = await this.#largeOfOrganization.acquire(orgId, TURN_MS);
    if (endOwn === null) return null;
    const end = await this.#large.acquire(LARGE, until - this.#clock.monotonic());
    if (end === null) {
      endOwn();
      return null;
    }
    return () => {
      end();
      endOwn();
    };
  }

  #lookUp(channelId: string, requestId: string): Promise<Found | null> {
    const deadline = this.#clock.now() + ASK_DEADLINE_MS;
    return this.#bus
      .query('inbound-webhook', { channelId }, { deadline, requestId })
      .then((answer) => {
        const found = answer.status === 404 ? null : foundIn(answer);
        this.#channels.set(channelId, { found, at: this.#clock.monotonic() });
        return found;
      })
      .finally(() => this.#lookUps.delete(channelId));
  }

  #pairOf(name: string): Unverified {
    const now = this.#clock.monotonic();
    const known = this.#unverified.get(name);
    if (!known) {
      const full = { bytes: NETWORK_UNVERIFIED_BYTES, filledAt: now, inProgress: 0 };
      this.#unverified.set(name, full);
      return full;
    }
    const refill = ((now - known.filledAt) * NETWORK_UNVERIFIED_BYTES) / MINUTE_MS;
    known.bytes = Math.min(NETWORK_UNVERIFIED_BYTES, known.bytes + refill);
    known.filledAt = now;
    return known;
  }
}
