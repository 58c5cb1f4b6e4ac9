/**
 * FIFO queues of a channel's messages in memory: one queue per conversation, in order of `seq`.
 *
 * 1. At most one message of a queue is in flight (I2).
 * 2. A queue has the most urgent class of its messages: what goes before a reply in its
 *    conversation goes at the turns of replies. `FairTurns` chooses the class.
 * 3. Queues of one class take turns. One that has to wait moves behind the others, so that one bad
 *    conversation delays no other.
 */
import type { Urgency } from '../../../shared/vocabulary.ts';
import type { SendNudge } from '../../model/channel.ts';
import type { CompletedMessages } from './completed-messages.ts';
import {
  type ConversationQueue,
  type Held,
  type QueuedMessage,
  queueOf,
  sortBySeq,
} from './conversation-queue.ts';
import { QueueClasses } from './queue-classes.ts';
import type { Hold } from './send-result.ts';

export interface QueuedNudge
  extends Pick<SendNudge, 'conversationId' | 'entryId' | 'seq' | 'entry'> {
  readonly urgency: Urgency;
}

/** Among more queues than this, one most likely has a message that may be sent now. */
const QUEUES_SCANNED_MAX = 256;
/** Under a longer backlog a batch reads many messages at once, and entries cost no memory. */
const FRESH_MAX = 64;

export class ConversationQueues {
  readonly #queues = new Map<string, ConversationQueue>();
  readonly classes = new QueueClasses();
  readonly #completed: Pick<CompletedMessages, 'raise'>;

  constructor(completed: Pick<CompletedMessages, 'raise'>) {
    this.#completed = completed;
  }

  get size(): number {
    return this.classes.size;
  }

  add({ conversationId, entryId, seq, urgency, entry }: QueuedNudge): void {
    const queue = this.#queues.get(conversationId) ?? this.#open(conversationId, urgency);
    const { messages } = queue;
    // The message in flight stays first: its sender completes the first one.
    const first = queue.busy ? 1 : 0;
    let at = messages.length;
    while (at > first && (messages[at - 1]?.seq ?? 0) > seq) at--;
    if (messages[at - 1]?.seq === seq || messages[0]?.seq === seq) return;
    const fresh = entry && this.classes.size < FRESH_MAX ? { fresh: entry } : {};
    messages.splice(at, 0, { entryId, seq, urgency, ...fresh });
    this.classes.count(queue, urgency, 1);
    this.classes.classify(queue);
  }

  /**
   * True if a new message of the conversation would be the next: it has no queue, and no other
   * queue's message may be sent now. A reply goes before queues of other classes.
   */
  isFree(conversationId: string, urgency: Urgency, now: number): boolean {
    if (this.#queues.has(conversationId)) return false;
    const isReply = urgency === 'reply';
    const scanned = isReply ? this.classes.queuesOf('reply') : this.#queues.size;
    if (scanned >= QUEUES_SCANNED_MAX || this.classes.hasDue('reply', now)) return false;
    return isReply || !(this.classes.hasDue('normal', now) || this.classes.hasDue('bulk', now));
  }

  /** Adds a message to a new queue, already in flight; the conversation has no other queue. */
  addClaimed(claimed: QueuedMessage & { readonly conversationId: string }): ConversationQueue {
    const { conversationId, entryId, seq, urgency } = claimed;
    const queue = this.#open(conversationId, urgency);
    queue.busy = true;
    queue.messages.push({ entryId, seq, urgency });
    this.classes.count(queue, urgency, 1);
    return queue;
  }

  /**
   * The insert of the claimed message is not confirmed, and nothing was sent. If the message is on
   * record, a nudge or the agenda adds it again.
   */
  removeClaimed(queue: ConversationQueue): void {
    queue.busy = false;
    this.#remove(queue, 0);
  }

  /** Removes a message whose outcome arrived by another way than the answer to its send. */
  complete(conversationId: string, entryId: string): void {
    const queue = this.#queues.get(conversationId);
    const at = queue?.messages.findIndex((message) => message.entryId === entryId) ?? -1;
    // The sender of the message in flight removes it.
    if (!queue || at < 0 || (at === 0 && queue.busy)) return;
    this.#remove(queue, at);
    if (at === 0) queue.notBefore = 0;
  }

  /** Completes the queue's oldest message; of one that was not sent, those before it may wait. */
  completeOldest(queue: ConversationQueue, wasSent = true): void {
    const [first] = queue.messages;
    if (first && wasSent) this.#completed.raise(queue.conversationId, first.seq);
    queue.busy = false;
    queue.backoffs = 0;
    queue.notBefore = 0;
    this.#remove(queue, 0);
  }

  /** The queue's oldest message was not sent, and may be at once: it keeps its place and turn. */
  putBack(queue: ConversationQueue): void {
    queue.busy = false;
    queue.notBefore = 0;
    queue.held = null;
    this.classes.returnTurn(queue);
    sortBySeq(queue);
  }

  /** Delays the queue's oldest message, and with it those behind it. */
  wait(queue: ConversationQueue, notBefore: number, held: Held | null = null): void {
    queue.busy = false;
    queue.notBefore = notBefore;
    queue.held = held;
    sortBySeq(queue);
    this.classes.moveToEnd(queue);
  }

  /** The number works again: queues that it held back may send now. */
  wakeHeldByNumber(): void {
    for (const queue of this.#queues.values()) {
      if (queue.held !== 'by number') continue;
      if (!queue.busy) queue.notBefore = 0;
      queue.held = null;
    }
  }

  /** Messages that wait for that reason wait at most until `notBefore`. */
  wakeHeld(held: Hold, notBefore: number): void {
    for (const queue of this.#queues.values()) {
      if (queue.held === held) queue.notBefore = Math.min(queue.notBefore, notBefore);
    }
  }

  /** The contact has written: no restriction holds the message. True if one did. */
  wakeConversation(conversationId: string): boolean {
    const queue = this.#queues.get(conversationId);
    if (!queue) return false;
    queue.contactWrote = true;
    const wasHeld = queue.held !== null && queue.held !== 'by number';
    if (wasHeld && !queue.busy) queue.notBefore = 0;
    return wasHeld;
  }

  /** The id of the conversation's first message, which may be in flight. */
  oldestOf(conversationId: string): string | undefined {
    return this.#queues.get(conversationId)?.messages[0]?.entryId;
  }

  /** Monotonic milliseconds at which the next waiting queue may send; null when none waits. */
  nextAt(): number | null {
    let next: number | null = null;
    for (const queue of this.#queues.values()) {
      if (queue.busy || queue.messages.length === 0) continue;
      if (next === null || queue.notBefore < next) next = queue.notBefore;
    }
    return next;
  }

  #remove(queue: ConversationQueue, at: number): void {
    const [removed] = queue.messages.splice(at, 1);
    if (removed) this.classes.count(queue, removed.urgency, -1);
    if (queue.messages.length > 0) {
      if (!this.classes.classify(queue)) this.classes.moveToEnd(queue);
      return;
    }
    this.#queues.delete(queue.conversationId);
    this.classes.delete(queue);
  }

  #open(conversationId: string, urgency: Urgency): ConversationQueue {
    const queue = queueOf(conversationId, urgency);
    this.#queues.set(conversationId, queue);
    this.classes.add(queue);
    return queue;
  }
}
