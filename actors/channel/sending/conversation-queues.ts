/**
 * FIFO queues of a channel's messages in memory: one queue per conversation, in order of `seq`.
 *
 * 1. At most one message of a queue is in flight (I2).
 * 2. A queue that has to wait moves behind the others, so that one bad conversation delays no
 *    other.
 */
import type { SendNudge } from '../../model/channel.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import type { CompletedMessages } from './completed-messages.ts';
import type { Hold } from './send-result.ts';

interface QueuedMessage {
  readonly entryId: string;
  readonly seq: number;
  /** The entry as it was committed, until the message is first dequeued. */
  readonly fresh?: EntryDocument;
}

export interface ConversationQueue {
  readonly conversationId: string;
  readonly messages: QueuedMessage[];
  busy: boolean;
  /** Monotonic milliseconds. */
  notBefore: number;
  /** The number's reason to wait: it rejects messages, or may not send what this one is. */
  held: Held | null;
  /** The contact has written since the queue was created. */
  contactWrote: boolean;
  /** Consecutive rejections of one kind: of this pair alone, or of the number. */
  backoffs: number;
  backoffsOfPair: boolean;
}

type Held = 'by number' | Hold;
export type QueuedNudge = Pick<SendNudge, 'conversationId' | 'entryId' | 'seq' | 'entry'>;

export interface Dequeued {
  readonly queue: ConversationQueue;
  readonly message: QueuedMessage;
}

/** Among more queues than this, one most likely has a message that may be sent now. */
const QUEUES_SCANNED_MAX = 256;
/** Under a longer backlog a batch reads many messages at once, and entries cost no memory. */
const FRESH_MAX = 64;
export class ConversationQueues {
  readonly #queues = new Map<string, ConversationQueue>();
  readonly #completed: Pick<CompletedMessages, 'raise'>;
  #size = 0;

  constructor(completed: Pick<CompletedMessages, 'raise'>) {
    this.#completed = completed;
  }

  get size(): number {
    return this.#size;
  }

  add({ conversationId, entryId, seq, entry }: QueuedNudge): void {
    const queue = this.#queues.get(conversationId) ?? addQueue(this.#queues, conversationId);
    const { messages } = queue;
    // The message in flight stays first: its sender completes the first one.
    const first = queue.busy ? 1 : 0;
    let at = messages.length;
    while (at > first && (messages[at - 1]?.seq ?? 0) > seq) at--;
    if (messages[at - 1]?.seq === seq || messages[0]?.seq === seq) return;
    const fresh = entry && this.#size < FRESH_MAX ? { fresh: entry } : {};
    messages.splice(at, 0, { entryId, seq, ...fresh });
    this.#size++;
  }

  /**
   * True if a new message of the conversation would be the next: it has no queue, and no other
   * queue's message may be sent now.
   */
  isFree(conversationId: string, now: number): boolean {
    if (this.#queues.has(conversationId) || this.#queues.size >= QUEUES_SCANNED_MAX) return false;
    for (const queue of this.#queues.values()) {
      if (!queue.busy && queue.notBefore <= now) return false;
    }
    return true;
  }

  /** Adds a message to a new queue, already in flight; the conversation has no other queue. */
  addClaimed(claimed: QueuedMessage & { readonly conversationId: string }): ConversationQueue {
    const { conversationId, entryId, seq } = claimed;
    const queue = addQueue(this.#queues, conversationId);
    queue.busy = true;
    queue.messages.push({ entryId, seq });
    this.#size++;
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

  /** Up to `max` queues whose oldest message may be sent now; they stay busy until a result. */
  dequeue(max: number, now: number): Dequeued[] {
    const dequeued: Dequeued[] = [];
    const waiting: ConversationQueue[] = [];
    for (const queue of this.#queues.values()) {
      if (dequeued.length >= max) break;
      const message = queue.messages[0];
      if (queue.busy || !message) continue;
      if (queue.notBefore > now) {
        waiting.push(queue);
        continue;
      }
      queue.busy = true;
      // A later attempt reads the entry again, which may have changed.
      queue.messages[0] = { entryId: message.entryId, seq: message.seq };
      dequeued.push({ queue, message });
    }
    for (const queue of waiting) this.#moveToEnd(queue);
    return dequeued;
  }

  /** Completes the queue's oldest message. */
  completeOldest(queue: ConversationQueue): void {
    const [first] = queue.messages;
    if (first) this.#completed.raise(queue.conversationId, first.seq);
    queue.busy = false;
    queue.backoffs = 0;
    queue.notBefore = 0;
    this.#remove(queue, 0);
  }

  /** Delays the queue's oldest message, and with it those behind it. */
  wait(queue: ConversationQueue, notBefore: number, held: Held | null = null): void {
    queue.busy = false;
    queue.notBefore = notBefore;
    queue.held = held;
    // A message added meanwhile may precede the one that was in flight.
    queue.messages.sort((a, b) => a.seq - b.seq);
    this.#moveToEnd(queue);
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
    queue.messages.splice(at, 1);
    this.#size--;
    if (queue.messages.length === 0) this.#queues.delete(queue.conversationId);
    else this.#moveToEnd(queue);
  }

  #moveToEnd(queue: ConversationQueue): void {
    if (this.#queues.get(queue.conversationId) !== queue) return;
    this.#queues.delete(queue.conversationId);
    this.#queues.set(queue.conversationId, queue);
  }
}

function addQueue(
  queues: Map<string, ConversationQueue>,
  conversationId: string,
): ConversationQueue {
  const queue: ConversationQueue = {
    conversationId,
    messages: [],
    busy: false,
    notBefore: 0,
    held: null,
    contactWrote: false,
    backoffs: 0,
    backoffsOfPair: false,
  };
  queues.set(conversationId, queue);
  return queue;
}
