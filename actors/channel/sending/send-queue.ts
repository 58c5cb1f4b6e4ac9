/**
 * Send queue of a channel: which messages go now, and when others may. It has no clock and no I/O:
 * results and times come in, batches and waits go out. Times are monotonic milliseconds.
 *
 * 1. Per conversation one message is in flight, the oldest. A queue that waits delays no other.
 * 2. Every message that goes has spent a token of its number and one of its pair (I32).
 * 3. A message is claimed only if it would be the next of all: nothing is due, its predecessor is
 *    complete, and memory holds the whole backlog. For a reply only replies count.
 * 4. Each message that went, or was claimed, counts as in flight until its one result.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../../shared/limits.ts';
import { URGENCIES, type Urgency } from '../../../shared/vocabulary.ts';
import { Backlog } from './backlog.ts';
import { CompletedMessages, type Watermarks } from './completed-messages.ts';
import type { ConversationQueue, Dequeued } from './conversation-queue.ts';
import { ConversationQueues, type QueuedNudge } from './conversation-queues.ts';
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
  readonly urgency: Urgency;
}

export class SendQueue {
  readonly completed: CompletedMessages;
  readonly conversations: ConversationQueues;
  /** Of each class. */
  readonly backlogs: Readonly<Record<Urgency, Backlog>>;
  readonly breaker = new NumberBreaker();
  readonly #rateLimiter = new RateLimiter();
  #inFlight = 0;
  #beingInserted = 0;

  constructor({ watermarks, page }: SendQueueOptions = {}) {
    this.completed = new CompletedMessages(watermarks);
    this.conversations = new ConversationQueues(this.completed);
    const backlog = (): Backlog => new Backlog(page);
    this.backlogs = { reply: backlog(), normal: backlog(), bulk: backlog() };
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether a read of the class's backlog would add nothing that can be sent. */
  isSaturated(urgency: Urgency, maySend: boolean, now: number): boolean {
    const { conversations } = this;
    const maySendNow = maySend && this.breaker.notBefore <= now;
    const hasPage = this.backlogs[urgency].hasPage(conversations.classes.sizeOf(urgency));
    return hasPage || (conversations.size > 0 && !maySendNow);
  }

  /** Adds a message that a nudge told of, if memory has room for its class. */
  offer(queued: QueuedNudge, passes: boolean): void {
    const { urgency } = queued;
    const size = this.conversations.classes.sizeOf(urgency);
    if (this.backlogs[urgency].admits(size, passes)) this.conversations.add(queued);
  }

  /** Takes the messages that may be sent now. Each of them needs a result. */
  next({ pace, now }: PaceNow): Next {
    const tokens = this.#rateLimiter.available(pace, now);
    const size = batchSize(pace, this.conversations.size);
    if (tokens < size) return { waitMs: this.#rateLimiter.waitMs(pace, size) };
    const capacity = Math.min(tokens, this.#capacity(now));
    const spendMs = ({ conversationId }: ConversationQueue): number =>
      this.#rateLimiter.spendPair(conversationId, { pace, now });
    const batch = capacity > 0 ? this.conversations.classes.dequeue(capacity, now, spendMs) : [];
    if (batch.length === 0) return { waitMs: this.#waitMs({ pace, now }) };
    this.#rateLimiter.spend(batch.length);
    this.#inFlight += batch.length;
    return { batch };
  }

  /** Claims a message that is about to be inserted; null: it waits for its turn. */
  claim(message: ClaimedMessage, { pace, now }: PaceNow): ConversationQueue | null {
    const { conversationId, entryId, seq, urgency } = message;
    if (!this.#isNext(message, { pace, now })) return null;
    if (!this.#rateLimiter.trySpend(conversationId, { pace, now })) return null;
    this.#inFlight++;
    this.#beingInserted++;
    return this.conversations.addClaimed({ conversationId, entryId, seq, urgency });
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
        return { messageId, needsRefill: needsRefill(this) };
      }
      case 'cancelled':
        this.#rateLimiter.refund();
        this.#rateLimiter.refundPair(queue.conversationId);
        conversations.completeOldest(queue, false);
        return { messageId, needsRefill: needsRefill(this) };
      case 'ambiguous':
        conversations.wait(queue, now + Math.min(result.waitMs, IN_DOUBT_SEND_WAIT_MS));
        if (result.unanswered) breaker.recordUnanswered(queue.conversationId, now);
        break;
      case 'retry':
        conversations.wait(queue, now + result.waitMs);
        break;
      case 'preceded':
        this.#rateLimiter.refund();
        this.#rateLimiter.refundPair(queue.conversationId);
        conversations.putBack(queue);
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

  #isNext(message: ClaimedMessage, { pace, now }: PaceNow): boolean {
    const { conversationId, previousSeq, urgency } = message;
    // A slow store ends many inserts at once. Their sends then start together: one batch at most.
    return (
      this.#beingInserted < batchSize(pace, this.#beingInserted + 1) &&
      hasAll(this.backlogs, urgency) &&
      this.conversations.isFree(conversationId, urgency, now) &&
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

type Holding = Pick<SendQueue, 'backlogs' | 'conversations'>;

function needsRefill({ backlogs, conversations: { classes } }: Holding): boolean {
  return URGENCIES.some((each) => backlogs[each].needsRefill(classes.sizeOf(each)));
}

/** Whether memory holds all messages that a new one of the class may not overtake. */
function hasAll({ reply, normal, bulk }: Holding['backlogs'], urgency: Urgency): boolean {
  return reply.hasAll && (urgency === 'reply' || (normal.hasAll && bulk.hasAll));
}
