/**
 * Sender of one channel: queued messages go to the network in order and at the channel's pace.
 * The partition's owner has the only one.
 *
 * 1. Per conversation, messages are handed over in `seq` order, one at a time (I2).
 * 2. Nothing is sent unless `sending`, with its epoch and attempt, is journaled first; of two
 *    owners only one can mark an attempt.
 * 3. A send whose answer was lost waits for a status that carries our id, or is looked for, and is
 *    sent again only when neither tells of it (I29).
 * 4. One conversation that has to wait holds up no other; a number in trouble is tried with one
 *    message at a time (`number-health`), and so is a restricted one with first contacts.
 */
import type { Restriction } from '../../shared/ports/network.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { Pace } from '../domain/organization/state.ts';
import { describe } from '../runtime/mailbox.ts';
import { Backlog } from './backlog.ts';
import { type BatchContext, type OnSendResult, STORE_RETRY_MS } from './batch-context.ts';
import type { ChannelCaches } from './channel-caches.ts';
import { claimedByInsert, type InsertClaim, type SentEntry } from './claim-on-insert.ts';
import {
  CachedConfiguration,
  type ChannelConfiguration,
  type ChannelEnvironment,
} from './configuration.ts';
import { type ConversationQueue, ConversationQueues } from './conversation-queues.ts';
import { dispatchBatch } from './dispatch-batch.ts';
import { FirstContacts } from './first-contacts.ts';
import { InFlight } from './in-flight.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { NumberBreaker } from './number-breaker.ts';
import { batchSize, type PaceNow, RateLimiter } from './rate-limiter.ts';
import { ReadinessProbe } from './readiness-probe.ts';
import type { NetworkReports } from './reports.ts';
import { type ContactCache, createContactCache } from './resolve-contact.ts';
import { applySendResult } from './send-result.ts';
import { SentIndex } from './sent-index.ts';
import { startSend } from './start-send.ts';
import { UnmatchedReceipts } from './unmatched-receipts.ts';
import { Uploads } from './uploads.ts';
import { WakeTimer } from './wake-timer.ts';

const IN_FLIGHT_MAX = 128;
const DRAIN_STEP_MS = 10;
/** Under a backlog, rounds of several messages at once cost less than one message at a time. */
const MIN_WAKE_MS = 50;

export class ChannelSender implements BatchContext {
  readonly channelId: string;
  readonly epoch: number;
  readonly beganAt: number;
  readonly environment: ChannelEnvironment;
  readonly queues: ConversationQueues;
  readonly backlog: Backlog;
  readonly sent: SentIndex;
  readonly contacts: ContactCache;
  readonly unmatched: UnmatchedReceipts;
  readonly mutex = new KeyedMutex();
  readonly uploads: Uploads;
  readonly inDoubt = new Set<string>();
  readonly inFlight = new InFlight();
  readonly readiness: ReadinessProbe;
  readonly firstContacts: FirstContacts;
  /** Called when there is room again for what the store holds. */
  onNeedsRefill: () => void = () => undefined;
  /** Called when messages whose media is still to be fetched have been recorded. */
  onMediaDue: () => void = () => undefined;
  /** Called when a webhook's events are committed. */
  onEventsCommitted: () => void = () => undefined;
  readonly #breaker = new NumberBreaker();
  readonly #rateLimiter = new RateLimiter();
  readonly #configuration: CachedConfiguration;
  readonly #wake: WakeTimer;
  #inFlightCount = 0;
  #beingInserted = 0;
  #pumping = false;
  #pumpAgain = false;
  #closed = false;
  #draining = false;

  constructor(
    channel: { readonly id: string; readonly epoch: number; readonly caches?: ChannelCaches },
    environment: ChannelEnvironment,
    reports: NetworkReports,
  ) {
    const { id: channelId } = channel;
    this.channelId = channelId;
    this.queues = new ConversationQueues(channel.caches?.watermarks);
    this.backlog = new Backlog(this.queues);
    this.sent = new SentIndex(channel.id, channel.caches?.sent);
    this.contacts = channel.caches?.contacts ?? createContactCache();
    this.epoch = channel.epoch;
    this.environment = environment;
    this.beganAt = environment.clock.now();
    this.#wake = new WakeTimer(environment.clock, () => this.pump());
    this.unmatched = new UnmatchedReceipts(channel.id, environment);
    this.uploads = new Uploads(channel.id, environment);
    const onFree = () => this.pump();
    const report = reports.restriction;
    this.firstContacts = new FirstContacts({ environment, queues: this.queues, report, onFree });
    this.#configuration = new CachedConfiguration(environment, channel.id, (read) => {
      this.firstContacts.adopt(read?.entry.restriction ?? null);
      this.readiness.adopt(read?.entry ?? null);
    });
    this.readiness = new ReadinessProbe(
      { channelId, environment, configuration: this.#configuration, closed: () => this.#closed },
      {
        report: reports.readiness,
        onReady: () => this.#retryNow(),
        onHold: (ms) => this.#breaker.holdUntil(environment.clock.monotonic() + ms),
        onConfigured: () => this.pump(),
        onRestriction: (restriction) => this.firstContacts.confirm(restriction),
      },
    );
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Not known to be configured, and nothing waits here or is under way. */
  get isDisposable(): boolean {
    const { cached, loading } = this.#configuration;
    return !cached && !loading && this.queues.size === 0 && this.#inFlightCount === 0;
  }

  /** It has enough in hand; or something, and may send none of it now. */
  get isSaturated(): boolean {
    const enabled = this.#configuration.cached?.entry.enabled === true;
    const waitsForNumber = this.#breaker.notBefore > this.environment.clock.monotonic();
    const maySendNow = this.readiness.maySend && enabled && !waitsForNumber;
    return this.backlog.hasEnough || (this.queues.size > 0 && !maySendNow);
  }

  configuration(): Promise<ChannelConfiguration | null> {
    return this.#configuration.current();
  }

  /** The operator changed something: read it again and look at the network. Null: no news. */
  reconfigure(): Promise<ReadinessReport | null> {
    this.#configuration.cached = null;
    this.firstContacts.forget();
    this.#breaker.reset();
    this.#retryNow();
    return this.readiness.probeChanged();
  }

  /** Null: the network restricts nothing. Resolves when the organization knows. */
  learnRestriction(restriction: Restriction | null): Promise<void> {
    this.firstContacts.learn(restriction);
    return this.firstContacts.reported;
  }

  /** The contact wrote: what was held back as a first contact may go. */
  contactWrote(conversationId: string): void {
    if (this.queues.wakeConversation(conversationId)) this.pump();
  }

  /** Takes up what may go now; called whenever something may have changed. */
  pump(): void {
    this.#pumpAgain = this.#pumping;
    if (this.#pumping || this.#closed || this.queues.size === 0) return;
    this.#pumping = true;
    this.#pumpBatches()
      .catch((fault: unknown) => {
        this.#warn(fault, 'dispatch of queued messages failed');
        this.#wake.wakeIn(STORE_RETRY_MS);
      })
      .finally(() => {
        this.#pumping = false;
        if (this.#pumpAgain) this.pump();
      });
  }

  /** Claims a message that is about to be recorded; null: it is queued, and its turn comes. */
  claimOnInsert(decided: SentEntry): InsertClaim | null {
    const configuration = this.#configuration.cached;
    if (!configuration || !this.#mayAct(configuration)) return null;
    if (!this.firstContacts.mayGo(decided)) return null;
    const { pace } = configuration.entry;
    const now = this.environment.clock.monotonic();
    const { conversationId, _id: entryId, seq } = decided;
    if (!this.#isNext(decided, { pace, now })) return null;
    if (!this.#rateLimiter.trySpend(conversationId, { pace, now })) return null;
    this.#inFlightCount++;
    this.#beingInserted++;
    const queue = this.queues.addClaimed({ conversationId, entryId, seq });
    const entry = claimedByInsert(this, configuration, decided);
    const sending = {
      configuration,
      onResult: this.#onResult,
      queue,
      entry,
      send: entry.send,
    };
    const resolve = (inserted: boolean): void => {
      this.#beingInserted--;
      if (inserted) startSend(this, sending);
      else this.#abandonClaim(queue);
    };
    return { entry, resolve };
  }

  /** The network has judged a message by another way than the answer to its send. */
  complete(conversationId: string, entryId: string): void {
    this.inDoubt.delete(entryId);
    this.queues.complete(conversationId, entryId);
    this.readiness.sendEnded(conversationId);
    this.firstContacts.requeued(entryId);
  }

  /** Takes up nothing more; resolves when what is under way is judged, at the latest after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    const { clock } = this.environment;
    const until = clock.monotonic() + ms;
    while (this.#inFlightCount > 0 && clock.monotonic() < until) {
      await new Promise<void>((resume) => clock.after(DRAIN_STEP_MS, resume));
    }
  }

  close(): void {
    this.#closed = true;
    this.#wake.end();
    this.readiness.end();
  }

  async #pumpBatches(): Promise<void> {
    for (;;) {
      this.#pumpAgain = false;
      const configuration = await this.configuration();
      if (!configuration || !this.#mayAct(configuration)) return;
      const { pace } = configuration.entry;
      const now = this.environment.clock.monotonic();
      const tokens = this.#rateLimiter.available(pace, now);
      const size = batchSize(pace, this.queues.size);
      if (tokens < size) return this.#wake.wakeIn(this.#rateLimiter.waitMs(pace, size));
      const capacity = Math.min(
        tokens,
        IN_FLIGHT_MAX - this.#inFlightCount,
        this.#breaker.capacity(this.#inFlightCount, now),
      );
      const dequeued = capacity === 0 ? [] : this.queues.dequeue(capacity, now);
      const allowed = this.#rateLimiter.spendPairs(dequeued, { pace, now }, (queue, waitMs) =>
        this.queues.wait(queue, now + waitMs),
      );
      if (dequeued.length === 0) return this.#wakeLater(pace);
      if (allowed.length === 0) continue;
      this.#rateLimiter.spend(allowed.length);
      this.#inFlightCount += allowed.length;
      await dispatchBatch(this, { configuration, items: allowed, onResult: this.#onResult });
    }
  }

  #mayAct(configuration: ChannelConfiguration): boolean {
    return (
      !(this.#closed || this.#draining) &&
      this.environment.leaseHeld() &&
      configuration.entry.enabled &&
      this.readiness.maySend
    );
  }

  /** Nothing has to go before it, and it need not wait for the number. */
  #isNext({ conversationId, send }: SentEntry, { pace, now }: PaceNow): boolean {
    // What a slow store holds back goes at one moment: no more of it than a round.
    return (
      this.#beingInserted < batchSize(pace, this.#beingInserted + 1) &&
      this.backlog.hasAll &&
      this.queues.isFree(conversationId, now) &&
      this.queues.isCompleted(conversationId, send.previousSeq) &&
      this.#inFlightCount < IN_FLIGHT_MAX &&
      this.#breaker.capacity(this.#inFlightCount, now) > 0
    );
  }

  /** Nothing was handed over. If it is there all the same, it is told of or found (agenda). */
  #abandonClaim(queue: ConversationQueue): void {
    this.#inFlightCount--;
    this.queues.removeClaimed(queue);
    this.pump();
  }

  readonly #onResult: OnSendResult = (queue, result) => {
    this.#inFlightCount--;
    const { queues, backlog, firstContacts, readiness, onNeedsRefill } = this;
    const parts = { queues, backlog, firstContacts, readiness, onNeedsRefill };
    const now = this.environment.clock.monotonic();
    applySendResult(
      { ...parts, breaker: this.#breaker, rateLimiter: this.#rateLimiter },
      { queue, result, now },
    );
    this.pump();
  };

  #retryNow(): void {
    this.#breaker.halfOpen();
    this.queues.wakeHeldByNumber();
    this.pump();
  }

  #wakeLater(pace: Pace): void {
    const now = this.environment.clock.monotonic();
    const next = this.queues.nextAt();
    if (next === null) return;
    const until = Math.max(next, this.#breaker.notBefore) - now;
    this.#wake.wakeIn(Math.max(until, this.#rateLimiter.waitMs(pace), MIN_WAKE_MS));
  }

  #warn(fault: unknown, message: string): void {
    this.environment.log.warn({ channelId: this.channelId, error: describe(fault) }, message);
  }
}
