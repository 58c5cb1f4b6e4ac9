/**
 * A channel's queued messages in memory: one lane per conversation, in order of `seq`.
 *
 * 1. At most one message of a lane is under way (I2).
 * 2. What was done with first is remembered: a message whose forerunner nobody has told of is
 *    found out in time (`afterForerunner`).
 * 3. A lane that has to wait goes behind the others: one bad conversation holds nobody up.
 */
import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { SendNudge } from './commands.ts';

export interface QueuedMessage {
  readonly entryId: string;
  readonly seq: number;
  /** As it was committed, until it is first taken. */
  readonly fresh?: EntryDocument;
}

export interface ConversationQueue {
  readonly conversationId: string;
  readonly messages: QueuedMessage[];
  busy: boolean;
  /** Monotonic milliseconds. */
  notBefore: number;
  /** Whether it waits because of the number, and not of this conversation. */
  heldByNumber: boolean;
  /** Whether it waits because the number may begin no conversations. */
  heldAsFirstContact: boolean;
  /** The contact has written since the lane is here. */
  contactWrote: boolean;
  /** Consecutive refusals of one kind: for this pair alone, or for the number. */
  backoffs: number;
  backoffsOfPair: boolean;
}

/** Of more lanes than these some message may well go now. */
const QUEUES_SCANNED_MAX = 256;
/** Conversations of a process whose last sends are remembered. */
const WATERMARKS_MAX = 200_000;

/** `seq` up to which each conversation's messages are known to be done with. */
export type Watermarks = GenerationalCache<string, number>;

export const createWatermarks = (): Watermarks => new GenerationalCache(WATERMARKS_MAX);
/** Under a longer backlog a round reads many messages at once, and memory is spared. */
const FRESH_MAX = 64;

export class ConversationQueues {
  readonly #queues = new Map<string, ConversationQueue>();
  readonly #watermarks: Watermarks;
  #size = 0;

  constructor(watermarks: Watermarks = createWatermarks()) {
    this.#watermarks = watermarks;
  }

  get size(): number {
    return this.#size;
  }

  add(nudge: Pick<SendNudge, 'conversationId' | 'entryId' | 'seq' | 'entry'>): void {
    const { conversationId, entryId, seq, entry } = nudge;
    let queue = this.#queues.get(conversationId);
    if (!queue) {
      queue = emptyQueue(conversationId);
      this.#queues.set(conversationId, queue);
    }
    const { messages } = queue;
    // The one under way stays in front: whoever sent it is done with the first.
    const first = queue.busy ? 1 : 0;
    let at = messages.length;
    while (at > first && (messages[at - 1]?.seq ?? 0) > seq) at--;
    if (messages[at - 1]?.seq === seq || messages[0]?.seq === seq) return;
    const fresh = entry && this.#size < FRESH_MAX ? { fresh: entry } : {};
    messages.splice(at, 0, { entryId, seq, ...fresh });
    this.#size++;
  }

  /**
   * Whether a new message of the conversation would be the next: nothing of it is here, and no
   * other lane's oldest message may go now.
   */
  isFree(conversationId: string, now: number): boolean {
    if (this.#queues.has(conversationId) || this.#queues.size >= QUEUES_SCANNED_MAX) return false;
    for (const queue of this.#queues.values()) {
      if (!queue.busy && queue.notBefore <= now) return false;
    }
    return true;
  }

  /** A message in a lane of its own, under way from the first; the lane was free. */
  addClaimed({
    conversationId,
    entryId,
    seq,
  }: QueuedMessage & { readonly conversationId: string }): ConversationQueue {
    const queue = emptyQueue(conversationId);
    queue.busy = true;
    queue.messages.push({ entryId, seq });
    this.#queues.set(conversationId, queue);
    this.#size++;
    return queue;
  }

  /** The message under way is not known to be there: what becomes of it is told anew. */
  removeClaimed(queue: ConversationQueue): void {
    queue.busy = false;
    this.#remove(queue, 0);
  }

  /** The network has judged a message: it waits no more. */
  complete(conversationId: string, entryId: string): void {
    const queue = this.#queues.get(conversationId);
    const at = queue?.messages.findIndex((message) => message.entryId === entryId) ?? -1;
    // The one under way is settled by whoever sent it.
    if (!queue || at < 0 || (at === 0 && queue.busy)) return;
    this.#remove(queue, at);
    if (at === 0) queue.notBefore = 0;
  }

  /** Up to `most` lanes whose oldest message may go now; they are busy until released. */
  dequeue(max: number, now: number): { queue: ConversationQueue; message: QueuedMessage }[] {
    const dequeued: { queue: ConversationQueue; message: QueuedMessage }[] = [];
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
      // Whoever looks at it again reads what has become of it.
      queue.messages[0] = { entryId: message.entryId, seq: message.seq };
      dequeued.push({ queue, message });
    }
    for (const queue of waiting) this.#moveToEnd(queue);
    return dequeued;
  }

  /** Whether the message of that `seq`, and with it all before it, is known to be done with. */
  isCompleted(conversationId: string, seq: number): boolean {
    return seq <= (this.#watermarks.get(conversationId) ?? 0);
  }

  /** Everything up to that `seq` has been found done with. */
  raiseWatermark(conversationId: string, seq: number): void {
    if (this.isCompleted(conversationId, seq)) return;
    this.#watermarks.set(conversationId, seq);
  }

  /** The lane's oldest message is done with. */
  completeOldest(queue: ConversationQueue): void {
    const [first] = queue.messages;
    if (first) this.raiseWatermark(queue.conversationId, first.seq);
    queue.busy = false;
    queue.backoffs = 0;
    queue.notBefore = 0;
    this.#remove(queue, 0);
  }

  /** The lane's oldest message has to wait, and those behind it too. */
  wait(
    queue: ConversationQueue,
    notBefore: number,
    held: 'by number' | 'as first' | null = null,
  ): void {
    queue.busy = false;
    queue.notBefore = notBefore;
    queue.heldByNumber = held === 'by number';
    queue.heldAsFirstContact = held === 'as first';
    // One that came late may be older than the one which was under way.
    queue.messages.sort((a, b) => a.seq - b.seq);
    this.#moveToEnd(queue);
  }

  /** The number works again: who waited because of it need not wait any longer. */
  wakeHeldByNumber(): void {
    for (const queue of this.#queues.values()) {
      if (queue.heldByNumber && !queue.busy) queue.notBefore = 0;
      queue.heldByNumber = false;
    }
  }

  /** First contacts need not wait any longer than this. */
  wakeFirstContacts(notBefore: number): void {
    for (const queue of this.#queues.values()) {
      if (queue.heldAsFirstContact) queue.notBefore = Math.min(queue.notBefore, notBefore);
    }
  }

  /** The contact has written: theirs is a first contact no more. */
  wakeConversation(conversationId: string): boolean {
    const queue = this.#queues.get(conversationId);
    if (!queue) return false;
    queue.contactWrote = true;
    if (queue.heldAsFirstContact && !queue.busy) queue.notBefore = 0;
    return queue.heldAsFirstContact;
  }

  /** The message of the conversation that goes first, or is under way. */
  oldestOf(conversationId: string): string | undefined {
    return this.#queues.get(conversationId)?.messages[0]?.entryId;
  }

  /** When the next lane that waits may go; null when none waits. */
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

function emptyQueue(conversationId: string): ConversationQueue {
  const messages: QueuedMessage[] = [];
  return {
    conversationId,
    messages,
    busy: false,
    notBefore: 0,
    heldByNumber: false,
    heldAsFirstContact: false,
    contactWrote: false,
    backoffs: 0,
    backoffsOfPair: false,
  };
}
