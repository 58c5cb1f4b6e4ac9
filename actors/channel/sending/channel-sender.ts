/**
 * Sender of one channel: transmits queued messages at its pace. Only the partition's owner has one.
 * The queue decides what goes (`send-queue`); here is the loop that reads the configuration and the
 * clock, asks the queue, starts batches and brings the queue their results.
 *
 * 1. Per conversation it transmits in `seq` order, one message at a time (I2).
 * 2. `sending`, epoch and attempt are journaled before a send; one owner can mark an attempt.
 * 3. A send in doubt repeats only if neither a status with our id nor a look-up shows it (I29).
 */
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { SendNudge } from '../../model/channel.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { RunAgain, sleepUntil, WakeTimer } from '../../runtime/repeat.ts';
import type { ChannelConfiguration, ChannelEnvironment } from '../readiness/configuration.ts';
import type { NetworkReports } from '../readiness/reports.ts';
import {
  type BatchContext,
  type OnSendResult,
  type Sending,
  STORE_RETRY_MS,
} from './batch-context.ts';
import type { InsertClaim, Inserted, SentEntry } from './claim-on-insert.ts';
import type { Watermarks } from './completed-messages.ts';
import { dispatchBatch, marked, startSend, withOwnId } from './dispatch-batch.ts';
import { reportResult } from './outcome.ts';
import { Restrictions } from './restrictions.ts';
import { urgencyIn } from './send-nudge.ts';
import { SendQueue } from './send-queue.ts';
import { Uploads } from './uploads.ts';

const DRAIN_EVERY_MS = 10;

export interface SendingChannel
  extends Pick<BatchContext, 'channelId' | 'epoch' | 'sent' | 'unmatched' | 'onTemplatesChanged'> {
  readonly environment: ChannelEnvironment;
  readonly readiness: BatchContext['readiness'];
  readonly watermarks?: Watermarks | undefined;
  /** Messages of one read of a backlog. */
  readonly page?: number | undefined;
  /** The configuration as it was read last. */
  readonly configured: () => ChannelConfiguration | null;
  readonly configuration: () => Promise<ChannelConfiguration | null>;
  readonly reportRestriction: NetworkReports['restriction'];
  /** Called when memory has room again for messages that the store holds. */
  readonly onNeedsRefill: () => void;
}

export class ChannelSender {
  readonly queue: SendQueue;
  readonly restrictions: Restrictions;
  readonly #channel: SendingChannel;
  readonly #context: BatchContext;
  readonly #wake: WakeTimer;
  readonly #pump: RunAgain;
  #state: 'sending' | 'draining' | 'closed' = 'sending';

  constructor(channel: SendingChannel) {
    const { channelId, epoch, environment, watermarks, page } = channel;
    const { clock, log } = environment;
    this.#channel = channel;
    this.queue = new SendQueue({ watermarks, page });
    this.#wake = new WakeTimer(clock, () => this.pump());
    this.#pump = new RunAgain(
      () => this.#pumpBatches(),
      (fault) => {
        log.warn({ channelId, error: describe(fault) }, 'dispatch of queued messages failed');
        this.#wake.wakeIn(STORE_RETRY_MS);
      },
    );
    const onResult: OnSendResult = (queue, result) => this.#settle(queue, result);
    this.restrictions = new Restrictions({
      ...{ environment, report: channel.reportRestriction, onResult },
      wake: (held, notBefore) => this.queue.conversations.wakeHeld(held, notBefore),
      onFree: () => this.pump(),
    });
    this.#context = {
      ...{ channelId, epoch, environment, onResult, beganAt: clock.now() },
      ...{ sent: channel.sent, unmatched: channel.unmatched, readiness: channel.readiness },
      ...{ uploads: new Uploads(channelId, environment), inDoubt: new Set(), inFlight: new Map() },
      ...{ queues: this.queue.conversations, completed: this.queue.completed },
      ...{ restrictions: this.restrictions, isClosed: () => this.#state === 'closed' },
      onTemplatesChanged: channel.onTemplatesChanged,
    };
  }

  /** Nothing waits here, and nothing is in flight. */
  get isIdle(): boolean {
    return this.queue.conversations.size === 0 && this.queue.inFlight === 0;
  }

  /** The number may work again. */
  retryNow(): void {
    this.queue.retryNow();
    this.pump();
  }

  /** Resolves when no message of the conversation is in flight. */
  async whenIdle(conversationId: string): Promise<void> {
    await this.#context.inFlight.get(conversationId);
  }

  /** Dispatches the messages that may be sent now; called after each change that may allow one. */
  pump(): void {
    if (this.#state !== 'closed' && this.queue.conversations.size > 0) void this.#pump.request();
  }

  /** Claims a message that is about to be inserted; null: insert it as queued. */
  claimOnInsert(decided: SentEntry): InsertClaim | null {
    const { environment, epoch } = this.#channel;
    const configuration = this.#channel.configured();
    if (!configuration || !this.#mayAct(configuration)) return null;
    if (this.restrictions.mayHold(decided.after)) return null;
    const now = environment.clock.monotonic();
    const { conversationId, _id: entryId, seq, send: agenda } = decided;
    const { previousSeq } = agenda;
    const urgency = urgencyIn(agenda);
    const message = { conversationId, entryId, seq, previousSeq, urgency };
    const queue = this.queue.claim(message, { pace: configuration.entry.pace, now });
    if (queue === null) return null;
    logTurn(this.#channel, [entryId]);
    const send = withOwnId(environment, { configuration, entry: decided, send: agenda });
    const entry = { ...decided, send: marked(send, epoch, environment.clock.now()) };
    const sending = { configuration, queue, entry, send: entry.send };
    return { entry, insertAndSend: (insert) => this.#insertAndSend(sending, insert) };
  }

  /** Takes a message that is queued or, by another way than the answer to its send, settled. */
  take(nudge: SendNudge): void {
    const { conversationId, entryId, entry } = nudge;
    if (nudge.settled) {
      this.#context.inDoubt.delete(entryId);
      this.queue.conversations.complete(conversationId, entryId);
      this.#channel.readiness.sendEnded(conversationId);
      this.restrictions.requeued(entryId);
    } else {
      const passes = entry !== undefined && this.restrictions.passes(entry.after);
      this.queue.offer({ ...nudge, urgency: urgencyIn(entry?.send ?? {}) }, passes);
    }
    this.pump();
  }

  /** Starts no more sends. Resolves when those in flight have a result, or after `ms`. */
  async drain(ms: number): Promise<void> {
    if (this.#state === 'sending') this.#state = 'draining';
    const limits = { everyMs: DRAIN_EVERY_MS, maxMs: ms };
    await sleepUntil(this.#channel.environment.clock, () => this.queue.inFlight === 0, limits);
  }

  close(): void {
    this.#state = 'closed';
    this.#wake.end();
  }

  async #pumpBatches(): Promise<void> {
    for (;;) {
      const configuration = await this.#channel.configuration();
      if (!configuration || !this.#mayAct(configuration)) return;
      const { pace } = configuration.entry;
      const next = this.queue.next({ pace, now: this.#channel.environment.clock.monotonic() });
      if ('waitMs' in next) {
        if (next.waitMs !== null) this.#wake.wakeIn(next.waitMs);
        return;
      }
      const messageIds = next.batch.map(({ message }) => message.entryId);
      logTurn(this.#channel, messageIds);
      await dispatchBatch(this.#context, configuration, next.batch);
    }
  }

  #mayAct(configuration: ChannelConfiguration): boolean {
    return (
      this.#state === 'sending' &&
      this.#channel.environment.leaseHeld() &&
      configuration.entry.enabled &&
      this.#channel.readiness.maySend()
    );
  }

  #settle(...[queue, result]: Parameters<OnSendResult>): void {
    const now = this.#channel.environment.clock.monotonic();
    const { messageId, needsRefill } = this.queue.settle(queue, result, now);
    reportResult(this.#context, { conversationId: queue.conversationId, messageId }, result);
    if (needsRefill) this.#channel.onNeedsRefill();
    this.pump();
  }

  /** Sends a claimed message once its insert is journaled; else its queue forgets it. */
  async #insertAndSend(sending: Sending, insert: () => Promise<Inserted>): Promise<Inserted> {
    let inserted: Inserted;
    try {
      inserted = await insert();
      return inserted;
    } finally {
      const isInserted = inserted?.ok === true;
      this.queue.endInsert(sending.queue, isInserted);
      if (isInserted) startSend(this.#context, sending);
      else this.pump();
    }
  }
}

type LoggedChannel = Pick<SendingChannel, 'channelId' | 'environment'>;

/** What goes before a message can be counted only from the turns: reads and writes come later. */
function logTurn(
  { channelId, environment: { log } }: LoggedChannel,
  messageIds: readonly string[],
): void {
  log.debug({ channelId, messageIds }, LOG_EVENT.sendTurn);
}
