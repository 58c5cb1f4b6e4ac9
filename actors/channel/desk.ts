/**
 * The desk of one channel: takes queued messages to the network in order and at the channel's
 * pace, and knows whether the network is ready. One desk per channel in the whole installation:
 * the partition's owner has it.
 *
 * 1. Per conversation, messages are handed over in `seq` order, one at a time (invariant 2).
 * 2. Nothing is sent unless `sending`, with its epoch and attempt, is journaled first; of two
 *    owners only one can mark an attempt.
 * 3. A send whose answer was lost waits for a status that carries our id, and is sent again only
 *    when none came (design: Networks).
 */
import { AMBIGUOUS_SEND_WAIT_MS } from '../../shared/limits.ts';
import type { Readiness } from '../../shared/network.ts';
import { type Bucket, type BucketRule, fullBucket, refill, spend, waitMs } from '../domain/pace.ts';
import type { World } from '../world.ts';
import { type ChannelConfiguration, loadConfiguration } from './configuration.ts';
import { type Lane, Lanes } from './lanes.ts';
import { type Judged, sendRound } from './send-round.ts';
import { SentIndex } from './sent-index.ts';

const IN_FLIGHT_MAX = 128;
const PROBE_READY_MS = 60_000;
const PROBE_NOT_READY_MS = 10_000;
/** Under a backlog, rounds of several messages at once cost less than one message at a time. */
const MIN_WAKE_MS = 50;

export class Desk {
  readonly channelId: string;
  readonly epoch: number;
  readonly world: World;
  readonly lanes = new Lanes();
  readonly sent = new SentIndex();
  #configuration: ChannelConfiguration | null = null;
  #loading: Promise<ChannelConfiguration | null> | null = null;
  #bucket: Bucket | null = null;
  readonly #pairs = new Map<string, Bucket>();
  #notBefore = 0;
  #ready = true;
  #inFlight = 0;
  #pumping = false;
  #closed = false;
  #cancelWake: (() => void) | null = null;
  #cancelProbe: (() => void) | null = null;
  /** Tells the organization what is known of the network. */
  readonly report: (readiness: Readiness) => Promise<void>;

  constructor(
    channel: { readonly id: string; readonly epoch: number },
    world: World,
    report: (readiness: Readiness) => Promise<void>,
  ) {
    this.channelId = channel.id;
    this.epoch = channel.epoch;
    this.world = world;
    this.report = report;
  }

  get busy(): boolean {
    return this.#inFlight > 0;
  }

  get closed(): boolean {
    return this.#closed;
  }

  async configuration(): Promise<ChannelConfiguration | null> {
    if (this.#configuration) return this.#configuration;
    this.#loading ??= loadConfiguration(this.world, this.channelId).finally(() => {
      this.#loading = null;
    });
    this.#configuration = await this.#loading;
    return this.#configuration;
  }

  /** The operator changed something: read it again and look at the network. */
  async reconfigure(): Promise<Readiness> {
    this.#configuration = null;
    this.#notBefore = 0;
    return this.look();
  }

  /** Asks the network whether it is ready, and goes on asking from time to time. */
  async look(): Promise<Readiness> {
    this.#cancelProbe?.();
    const configuration = await this.configuration();
    if (!configuration || this.#closed) return { ready: 'unknown', cause: 'no configuration' };
    const { network } = configuration;
    const readiness = await this.world.networks.driver(network.provider).status(network);
    this.learn(readiness);
    if (!this.#closed) {
      const waitMs = this.#ready ? PROBE_READY_MS : PROBE_NOT_READY_MS;
      this.#cancelProbe = this.world.clock.after(waitMs, () => void this.lookAndReport());
    }
    return readiness;
  }

  async lookAndReport(): Promise<void> {
    await this.report(await this.look());
  }

  /** What is known of the network's readiness, from wherever it came. */
  learn(readiness: Readiness): void {
    if (readiness.ready === 'unknown') return;
    const before = this.#ready;
    this.#ready = readiness.ready;
    if (this.#ready && !before) this.pump();
  }

  /** Takes up what may go now; called whenever something may have changed. */
  pump(): void {
    if (this.#pumping || this.#closed || this.lanes.size === 0) return;
    this.#pumping = true;
    void this.#pumpRounds().finally(() => {
      this.#pumping = false;
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelWake?.();
    this.#cancelProbe?.();
  }

  async #pumpRounds(): Promise<void> {
    for (;;) {
      const configuration = await this.configuration();
      if (!configuration || !this.#mayAct(configuration)) return;
      const room = this.#room(configuration);
      const now = this.world.clock.monotonic();
      if (room === 0 || this.#notBefore > now) return this.#wakeLater(configuration);
      const taken = this.#withinPairPace(this.lanes.take(room, now), configuration);
      if (taken.length === 0) return this.#wakeLater(configuration);
      this.#bucket = spend(
        this.#bucket ?? fullBucket(numberRule(configuration), now),
        taken.length,
      );
      this.#inFlight += taken.length;
      await sendRound(this, { configuration, taken, judge: (lane, how) => this.#judge(lane, how) });
    }
  }

  #mayAct(configuration: ChannelConfiguration): boolean {
    return !this.#closed && this.world.alive() && configuration.entry.enabled && this.#ready;
  }

  /** How many may be handed to the network now. */
  #room(configuration: ChannelConfiguration): number {
    const rule = numberRule(configuration);
    const now = this.world.clock.monotonic();
    this.#bucket = refill(this.#bucket ?? fullBucket(rule, now), rule, now);
    return Math.min(Math.floor(this.#bucket.tokens), IN_FLIGHT_MAX - this.#inFlight);
  }

  #withinPairPace<T extends { lane: Lane }>(taken: T[], configuration: ChannelConfiguration): T[] {
    const { pairBurst, pairEveryMs } = configuration.entry.pace;
    const rule = { burst: pairBurst, everyMs: pairEveryMs };
    const now = this.world.clock.monotonic();
    if (this.#pairs.size > 10_000) this.#forgetFullPairs(rule, now);
    return taken.filter(({ lane }) => {
      const known = this.#pairs.get(lane.conversationId) ?? fullBucket(rule, now);
      const bucket = refill(known, rule, now);
      if (bucket.tokens < 1) {
        this.lanes.wait(lane, now + waitMs(bucket, rule));
        return false;
      }
      this.#pairs.set(lane.conversationId, spend(bucket, 1));
      return true;
    });
  }

  #forgetFullPairs(rule: BucketRule, now: number): void {
    for (const [conversationId, bucket] of this.#pairs) {
      if (refill(bucket, rule, now).tokens >= rule.burst) this.#pairs.delete(conversationId);
    }
  }

  #judge(lane: Lane, how: Judged): void {
    this.#inFlight--;
    const now = this.world.clock.monotonic();
    switch (how.judged) {
      case 'done':
        this.lanes.done(lane);
        break;
      case 'ambiguous':
        this.lanes.wait(lane, now + Math.min(how.waitMs, AMBIGUOUS_SEND_WAIT_MS));
        break;
      case 'later':
        lane.backoffs++;
        if (how.scope === 'pair') {
          this.lanes.wait(lane, now + how.waitMs * 4 ** Math.min(lane.backoffs - 1, 4));
        } else {
          this.lanes.wait(lane, now + how.waitMs);
          this.#notBefore = Math.max(this.#notBefore, now + how.waitMs);
        }
        if (how.channelReason !== undefined) this.refuseAll(how.channelReason);
        break;
      default:
        how satisfies never;
    }
    this.pump();
  }

  /** The network says that the whole channel cannot send until somebody mends it. */
  refuseAll(reason: string): void {
    this.#ready = false;
    this.#cancelProbe?.();
    this.#cancelProbe = this.world.clock.after(PROBE_NOT_READY_MS, () => void this.lookAndReport());
    void this.report({ ready: false, reason });
  }

  #wakeLater(configuration: ChannelConfiguration): void {
    const now = this.world.clock.monotonic();
    const rule = numberRule(configuration);
    const paced = this.#bucket ? waitMs(this.#bucket, rule) : 0;
    const next = this.lanes.nextAt();
    if (next === null) return;
    const until = Math.max(next - now, this.#notBefore - now, paced, MIN_WAKE_MS);
    this.#cancelWake?.();
    this.#cancelWake = this.world.clock.after(until, () => this.pump());
  }
}

function numberRule(configuration: ChannelConfiguration): BucketRule {
  const { perSecond } = configuration.entry.pace;
  return { burst: Math.max(1, perSecond), everyMs: 1000 / perSecond };
}
