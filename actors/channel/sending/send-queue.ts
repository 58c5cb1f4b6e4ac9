/**
 * Send queue of a channel: which messages go now, and when others may. It has no clock and no I/O:
 * results and times come in, batches and waits go out. Times are monotonic milliseconds.
 *
 * 1. Per conversation one message is in flight, the oldest. A queue that waits delays no other.
 * 2. Every message that goes has spent a token of its number and one of its pair (I32).
 * 3. A message is claimed only if it would be the next of all: nothing is due, its predecessor is
 *    complete, and memory holds the whole backlog.
 * 4. Each message that went, or was claimed, counts as in flight until its one result.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../../shared/limits.ts';
import { Backlog } from './backlog.ts';
import { CompletedMessages, type Watermarks } from './completed-messages.ts';
import {
  type ConversationQueue,
  ConversationQueues,
  type Dequeued,
  type QueuedNudge,
} from './conversation-queues.ts';
import { NumberBreaker } from './number-breaker.ts';
import { batchSize, type PaceNow, RateLimiter } from './rate-limiter.ts';
import { backoffMs, type Later, type SendResult } from './send-result.ts';

const IN_FLIGHT_MAX = 128;
/** Under a backlog, batches of several messages cost less than one message at a time. */
const MIN_WAKE_MS = 50;

/** The batch to send now; without one, the time until the next may be due. */
export type Next =
  | { readonly batch: readonly Dequeued[] }
  /** Null: only a new message or a result makes one due. */
  | { readonly waitMs: number | null };

interface Settled {
  readonly messageId: string | undefined;
  /** Memory has room again for messages that the store holds. */
  readonly needsRefill: boolean;
}

interface SendQueueOptions {
  readonly watermarks?: Watermarks | undefined;
  /** Messages of one read of a backlog. */
  readonly page?: number | undefined;
}

/** A message that is about to be inserted, and the `seq` of the one before it. */
interface ClaimedMessage {
  readonly conversationId: string;
  readonly entryId: string;
  readonly seq: number;
  readonly previousSeq: number;
}

export class SendQueue {
  readonly completed: CompletedMessages;
  readonly conversations: ConversationQueues;
  readonly backlog: Backlog;
  readonly breaker = new NumberBreaker();
  readonly #rateLimiter = new RateLimiter();
  #inFlight = 0;
  #beingInserted = 0;

  constructor({ watermarks, page }: SendQueueOptions = {}) {
    this.completed = new CompletedMessages(watermarks);
    this.conversations = new ConversationQueues(this.completed);
    this.backlog = new Backlog(page);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether a read of the backlog would add nothing that can be sent. */
  isSaturated(maySend: boolean, now: number): boolean {
    const { size } = this.conversations;
    const maySendNow = maySend && this.breaker.notBefore <= now;
    return this.backlog.hasPage(size) || (size > 0 && !maySendNow);
  }

  /** Adds a message that a nudge told of, if memory has room. */
  offer(queued: QueuedNudge, passes: boolean): void {
    if (this.backlog.admits(this.conversations.size, passes)) this.conversations.add(queued);
  }

  /** Takes the messages that may be sent now. Each of them needs a result. */
  next({ pace, now }: PaceNow): Next {
    for (;;) {
      const tokens = this.#rateLimiter.available(pace, now);
      const size = batchSize(pace, this.conversations.size);
      if (tokens < size) return { waitMs: this.#rateLimiter.waitMs(pace, size) };
      const capacity = Math.min(tokens, this.#capacity(now));
      const dequeued = capacity > 0 ? this.conversations.dequeue(capacity, now) : [];
      if (dequeued.length === 0) return { waitMs: this.#waitMs({ pace, now }) };
      const batch = dequeued.filter(({ queue }) => {
        const waitMs = this.#rateLimiter.spendPair(queue.conversationId, { pace, now });
        if (waitMs > 0) this.conversations.wait(queue, now + waitMs);
        return waitMs === 0;
      });
      // Those that wait for their pairs have moved behind others, which may be due.
      if (batch.length === 0) continue;
      this.#rateLimiter.spend(batch.length);
      this.#inFlight += batch.length;
      return { batch };
    }
  }

  /** Claims a message that is about to be inserted; null: it waits for its turn. */
  claim(message: ClaimedMessage, { pace, now }: PaceNow): ConversationQueue | null {
    const { conversationId, entryId, seq } = message;
    if (!this.#isNext(message, { pace, now })) return null;
    if (!this.#rateLimiter.trySpend(conversationId, { pace, now })) return null;
    this.#inFlight++;
    this.#beingInserted++;
    return this.conversations.addClaimed({ conversationId, entryId, seq });
  }

  /** The claimed message is on record and goes, or its claim ends without a result. */
  endInsert(queue: ConversationQueue, isInserted: boolean): void {
    this.#beingInserted--;
    if (isInserted) return;
    this.#inFlight--;
    this.conversations.removeClaimed(queue);
  }

  /** Applies the result of a send to the queue, the number and its pace. */
  settle(queue: ConversationQueue, result: SendResult, now: number): Settled {
    const { conversations, breaker } = this;
    const messageId = queue.messages[0]?.entryId;
    this.#inFlight--;
    switch (result.result) {
      case 'done': {
        conversations.completeOldest(queue);
        if (result.byNetwork && breaker.recordSuccess(now)) conversations.wakeHeldByNumber();
        return { messageId, needsRefill: this.backlog.needsRefill(conversations.size) };
      }
      case 'ambiguous':
        conversations.wait(queue, now + Math.min(result.waitMs, IN_DOUBT_SEND_WAIT_MS));
        if (result.unanswered) breaker.recordUnanswered(queue.conversationId, now);
        break;
      case 'retry':
        conversations.wait(queue, now + result.waitMs);
        break;
      case 'held':
        this.#rateLimiter.refund();
        conversations.wait(queue, now + result.waitMs, result.held);
        break;
      case 'later':
        this.#reject(queue, result.later, now);
        break;
      default:
        result satisfies never;
    }
    return { messageId, needsRefill: false };
  }

  /** The number may work again: one message may test it. */
  retryNow(): void {
    this.breaker.halfOpen();
    this.conversations.wakeHeldByNumber();
  }

  #reject(queue: ConversationQueue, later: Later, now: number): void {
    const { scope } = later;
    const ofPair = scope === 'pair';
    // An outage of the number does not count for the pair, whose waits grow faster.
    queue.backoffs = queue.backoffsOfPair === ofPair ? queue.backoffs + 1 : 1;
    queue.backoffsOfPair = ofPair;
    const until = now + backoffMs(later, queue.backoffs);
    const held = later.restriction ? 'unpaid' : null;
    this.conversations.wait(queue, until, ofPair ? held : 'by number');
    if (ofPair) return;
    if (later.unprobed) this.breaker.holdUntil(until);
    else this.breaker.recordRejection(queue.conversationId, scope, until);
  }

  #isNext({ conversationId, previousSeq }: ClaimedMessage, { pace, now }: PaceNow): boolean {
    // A slow store ends many inserts at once. Their sends then start together: one batch at most.
    return (
      this.#beingInserted < batchSize(pace, this.#beingInserted + 1) &&
      this.backlog.hasAll &&
      this.conversations.isFree(conversationId, now) &&
      this.completed.covers(conversationId, previousSeq) &&
      this.#capacity(now) > 0
    );
  }

  #capacity(now: number): number {
    const ofNumber = this.breaker.capacity(this.#inFlight, now);
    return Math.min(IN_FLIGHT_MAX - this.#inFlight, ofNumber);
  }

  #waitMs({ pace, now }: PaceNow): number | null {
    const nextAt = this.conversations.nextAt();
    if (nextAt === null) return null;
    const untilMs = Math.max(nextAt, this.breaker.notBefore) - now;
    return Math.max(untilMs, this.#rateLimiter.waitMs(pace), MIN_WAKE_MS);
  }
}
