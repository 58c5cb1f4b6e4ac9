/**
 * Sender of one channel: transmits queued messages at its pace. Only the partition's owner has one.
 *
 * 1. Per conversation it transmits in `seq` order, one message at a time (I2).
 * 2. `sending`, epoch and attempt are journaled before a send; one owner can mark an attempt.
 * 3. A send in doubt repeats only if neither a status with our id nor a look-up shows it (I29).
 * 4. A waiting conversation delays no other. Breakers (number, first contacts) test one message.
 */
import type { Restriction } from '../../shared/ports/network-event.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { Pace } from '../domain/organization.ts';
import type { ListingCause } from '../domain/template/account.ts';
import { KeyedMutex } from '../runtime/concurrency.ts';
import { describe } from '../runtime/describe-fault.ts';
import { RunAgain, sleepUntil, WakeTimer } from '../runtime/repeat.ts';
import { type BatchContext, type Sending, STORE_RETRY_MS } from './batch-context.ts';
import { type ChannelCaches, InboundCalls, SentIndex } from './channel-caches.ts';
import type { InsertClaim, Inserted, SentEntry } from './claim-on-insert.ts';
import {
  CachedConfiguration,
  type ChannelConfiguration,
  type ChannelEnvironment,
} from './configuration.ts';
import { ConversationQueues } from './conversation-queues.ts';
import { dispatchBatch, marked, startSend, withOwnId } from './dispatch-batch.ts';
import { FirstContacts } from './first-contacts.ts';
import { NumberBreaker } from './number-breaker.ts';
import { applySendResult } from './outcome.ts';
import { batchSize, type PaceNow, RateLimiter } from './rate-limiter.ts';
import { ReadinessProbe } from './readiness-probe.ts';
import { type NetworkReports, UnmatchedReceipts } from './reports.ts';
import { type ContactCache, createContactCache } from './resolve-contact.ts';
import { Uploads } from './uploads.ts';

const IN_FLIGHT_MAX = 128;
const DRAIN_EVERY_MS = 10;
/** Under a backlog, batches of several messages cost less than one message at a time. */
const MIN_WAKE_MS = 50;

interface SenderOptions {
  readonly id: string;
  readonly epoch: number;
  readonly caches?: ChannelCaches;
  readonly page?: number;
}

export class ChannelSender implements BatchContext {
  readonly channelId: string;
  readonly epoch: number;
  readonly beganAt: number;
  readonly environment: ChannelEnvironment;
  readonly queues: ConversationQueues;
  readonly sent: SentIndex;
  readonly contacts: ContactCache;
  readonly inboundCalls: InboundCalls;
  readonly unmatched: UnmatchedReceipts;
  readonly mutex = new KeyedMutex();
  readonly uploads: Uploads;
  readonly inDoubt = new Set<string>();
  readonly readiness: ReadinessProbe;
  readonly firstContacts: FirstContacts;
  onNeedsRefill: () => void = () => undefined;
  onMediaDue: () => void = () => undefined;
  onEventsCommitted: () => void = () => undefined;
  onTemplatesChanged: () => Promise<void> = async () => undefined;
  onTemplatesDue: (cause: ListingCause) => void = () => undefined;
  readonly breaker = new NumberBreaker();
  readonly rateLimiter = new RateLimiter();
  readonly #configuration: CachedConfiguration;
  readonly #wake: WakeTimer;
  #inFlightCount = 0;
  #beingInserted = 0;
  readonly #pump = new RunAgain(
    () => this.#pumpBatches(),
    (fault) => {
      const fields = { channelId: this.channelId, error: describe(fault) };
      this.environment.log.warn(fields, 'dispatch of queued messages failed');
      this.#wake.wakeIn(STORE_RETRY_MS);
    },
  );
  #closed = false;
  #draining = false;

  constructor(
    { id: channelId, epoch, caches, page }: SenderOptions,
    environment: ChannelEnvironment,
    reports: NetworkReports,
  ) {
    this.channelId = channelId;
    this.queues = new ConversationQueues(caches?.watermarks, page);
    this.sent = new SentIndex(channelId, caches?.sent);
    this.contacts = caches?.contacts ?? createContactCache();
    this.inboundCalls = caches?.inboundCalls ?? new InboundCalls(environment.clock);
    this.epoch = epoch;
    this.environment = environment;
    this.beganAt = environment.clock.now();
    this.#wake = new WakeTimer(environment.clock, () => this.pump());
    this.unmatched = new UnmatchedReceipts(channelId, environment);
    this.uploads = new Uploads(channelId, environment);
    this.firstContacts = new FirstContacts({
      environment,
      queues: this.queues,
      report: reports.restriction,
      onResult: this.onResult,
      onFree: () => this.pump(),
    });
    this.#configuration = new CachedConfiguration(environment, channelId, (read) => {
      this.firstContacts.adopt(read?.entry.restriction ?? null);
      this.readiness.adopt(read?.entry ?? null);
    });
    this.readiness = new ReadinessProbe(
      { channelId, environment, configuration: this.#configuration, closed: () => this.#closed },
      {
        report: reports.readiness,
        onReady: () => {
          this.#retryNow();
          this.onTemplatesDue('fresh');
        },
        onHold: (ms) => this.breaker.holdUntil(environment.clock.monotonic() + ms),
        onConfigured: () => {
          this.pump();
          this.onTemplatesDue('due');
        },
        onRestriction: (restriction) => this.firstContacts.confirm(restriction),
      },
    );
  }

  get closed(): boolean {
    return this.#closed;
  }

  get isDisposable(): boolean {
    const { cached, loading } = this.#configuration;
    return !cached && !loading && this.queues.size === 0 && this.#inFlightCount === 0;
  }

  get isSaturated(): boolean {
    const enabled = this.#configuration.cached?.entry.enabled === true;
    const waitsForNumber = this.breaker.notBefore > this.environment.clock.monotonic();
    const maySendNow = this.readiness.maySend && enabled && !waitsForNumber;
    return this.queues.hasEnough || (this.queues.size > 0 && !maySendNow);
  }

  /** The configuration as it was read last, null where none was. */
  get configured(): ChannelConfiguration | null {
    return this.#configuration.cached;
  }

  configuration(): Promise<ChannelConfiguration | null> {
    return this.#configuration.current();
  }

  /** Rereads a changed configuration and probes the network. Null: nothing new is known. */
  reconfigure(): Promise<ReadinessReport | null> {
    this.#configuration.cached = null;
    this.firstContacts.forget();
    this.breaker.reset();
    this.#retryNow();
    return this.readiness.probeChanged();
  }

  /** Null: the network restricts nothing. Resolves when the reports have ended. */
  learnRestriction(restriction: Restriction | null): Promise<void> {
    this.firstContacts.learn(restriction);
    return this.firstContacts.reported;
  }

  contactWrote(conversationId: string): void {
    if (this.queues.wakeConversation(conversationId)) this.pump();
  }

  /** Dispatches the messages that may be sent now; called after each change that may allow one. */
  pump(): void {
    if (!this.#closed && this.queues.size > 0) void this.#pump.request();
  }

  /** Claims a message that is about to be inserted; null: insert it as queued. */
  claimOnInsert(decided: SentEntry): InsertClaim | null {
    const configuration = this.#configuration.cached;
    if (!configuration || !this.#mayAct(configuration)) return null;
    if (!this.firstContacts.mayGo(decided)) return null;
    const { pace } = configuration.entry;
    const now = this.environment.clock.monotonic();
    const { conversationId, _id: entryId, seq } = decided;
    if (!this.#isNext(decided, { pace, now })) return null;
    if (!this.rateLimiter.trySpend(conversationId, { pace, now })) return null;
    this.#inFlightCount++;
    this.#beingInserted++;
    const queue = this.queues.addClaimed({ conversationId, entryId, seq });
    const send = withOwnId(this.environment, { configuration, entry: decided, send: decided.send });
    const entry = { ...decided, send: marked(send, this.epoch, this.environment.clock.now()) };
    const sending = { configuration, queue, entry, send: entry.send };
    return { entry, insertAndSend: (insert) => this.#insertAndSend(sending, insert) };
  }

  readonly onResult: BatchContext['onResult'] = (queue, result) => {
    this.#inFlightCount--;
    applySendResult(this, queue, result);
    this.pump();
  };

  complete(conversationId: string, entryId: string): void {
    this.inDoubt.delete(entryId);
    this.queues.complete(conversationId, entryId);
    this.readiness.sendEnded(conversationId);
    this.firstContacts.requeued(entryId);
  }

  /** Starts no more sends. Resolves when those in flight have a result, or after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    const limits = { everyMs: DRAIN_EVERY_MS, maxMs: ms };
    await sleepUntil(this.environment.clock, () => this.#inFlightCount === 0, limits);
  }

  close(): void {
    this.#closed = true;
    this.#wake.end();
    this.readiness.end();
  }

  async #pumpBatches(): Promise<void> {
    for (;;) {
      const configuration = await this.configuration();
      if (!configuration || !this.#mayAct(configuration)) return;
      const { pace } = configuration.entry;
      const now = this.environment.clock.monotonic();
      const tokens = this.rateLimiter.available(pace, now);
      const size = batchSize(pace, this.queues.size);
      if (tokens < size) return this.#wake.wakeIn(this.rateLimiter.waitMs(pace, size));
      const capacity = Math.min(
        tokens,
        IN_FLIGHT_MAX - this.#inFlightCount,
        this.breaker.capacity(this.#inFlightCount, now),
      );
      const dequeued = capacity === 0 ? [] : this.queues.dequeue(capacity, now);
      const allowed = this.rateLimiter.spendPairs(dequeued, { pace, now }, (queue, waitMs) =>
        this.queues.wait(queue, now + waitMs),
      );
      if (dequeued.length === 0) return this.#wakeLater(pace);
      if (allowed.length === 0) continue;
      this.rateLimiter.spend(allowed.length);
      this.#inFlightCount += allowed.length;
      await dispatchBatch(this, configuration, allowed);
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

  #isNext({ conversationId, send }: SentEntry, { pace, now }: PaceNow): boolean {
    // A slow store ends many inserts at once. Their sends then start together: one batch at most.
    return (
      this.#beingInserted < batchSize(pace, this.#beingInserted + 1) &&
      this.queues.hasAll &&
      this.queues.isFree(conversationId, now) &&
      this.queues.isCompleted(conversationId, send.previousSeq) &&
      this.#inFlightCount < IN_FLIGHT_MAX &&
      this.breaker.capacity(this.#inFlightCount, now) > 0
    );
  }

  /** Sends a claimed message once its insert is journaled; else its queue forgets it. */
  async #insertAndSend(sending: Sending, insert: () => Promise<Inserted>): Promise<Inserted> {
    let inserted: Inserted;
    try {
      inserted = await insert();
      return inserted;
    } finally {
      this.#beingInserted--;
      if (inserted?.ok === true) startSend(this, sending);
      else {
        this.#inFlightCount--;
        this.queues.removeClaimed(sending.queue);
        this.pump();
      }
    }
  }

  #retryNow(): void {
    this.breaker.halfOpen();
    this.queues.wakeHeldByNumber();
    this.pump();
  }

  #wakeLater(pace: Pace): void {
    const now = this.environment.clock.monotonic();
    const next = this.queues.nextAt();
    if (next === null) return;
    const until = Math.max(next, this.breaker.notBefore) - now;
    this.#wake.wakeIn(Math.max(until, this.rateLimiter.waitMs(pace), MIN_WAKE_MS));
  }
}
