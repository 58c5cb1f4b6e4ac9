/**
 * Queues of a channel's conversations by class, and whose message is next.
 *
 * 1. A queue has the most urgent class of its messages: what goes before a reply in its conversation
 *    goes at the turns of replies. `FairTurns` chooses the class.
 * 2. Queues of one class take turns.
 */
import { URGENCIES, type Urgency } from '../../../shared/vocabulary.ts';
import type { ConversationQueue, Dequeued } from './conversation-queue.ts';
import { FairTurns } from './fair-turns.ts';

export class QueueClasses {
  /** Each class in the order in which its queues take turns. */
  readonly #classes: Readonly<Record<Urgency, Set<ConversationQueue>>> = {
    ...{ reply: new Set(), normal: new Set(), bulk: new Set() },
  };
  readonly #turns = new FairTurns();
  /** Messages by class. */
  readonly #sizes: Record<Urgency, number> = { reply: 0, normal: 0, bulk: 0 };
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(urgency: Urgency): number {
    return this.#sizes[urgency];
  }

  queuesOf(urgency: Urgency): number {
    return this.#classes[urgency].size;
  }

  add(queue: ConversationQueue): void {
    this.#classes[queue.urgency].add(queue);
  }

  delete(queue: ConversationQueue): void {
    this.#classes[queue.urgency].delete(queue);
  }

  hasDue(urgency: Urgency, now: number): boolean {
    return hasDueIn(this.#classes[urgency], now);
  }

  /**
   * Up to `max` queues whose oldest message may be sent now; they stay busy until a result.
   * @param spendMs spends what the send of a conversation costs, or answers how long it has to wait
   */
  dequeue(max: number, now: number, spendMs: (queue: ConversationQueue) => number): Dequeued[] {
    const dequeued: Dequeued[] = [];
    const due = {
      reply: new DueQueues(this.#classes.reply, now),
      normal: new DueQueues(this.#classes.normal, now),
      bulk: new DueQueues(this.#classes.bulk, now),
    };
    while (dequeued.length < max) {
      const urgency = this.#turns.next({
        ...{ reply: due.reply.has, normal: due.normal.has, bulk: due.bulk.has },
      });
      if (urgency === null) break;
      const { queue, message } = due[urgency].take();
      const waitMs = spendMs(queue);
      if (waitMs > 0) {
        due[urgency].putOff(queue, waitMs);
        continue;
      }
      queue.busy = true;
      this.#turns.take(urgency, due.reply.has);
      // A later attempt reads the entry again, which may have changed.
      const { entryId, seq } = message;
      queue.messages[0] = { entryId, seq, urgency: message.urgency };
      dequeued.push({ queue, message });
    }
    for (const urgency of URGENCIES) {
      for (const queue of due[urgency].waiting) this.moveToEnd(queue);
    }
    return dequeued;
  }

  /** The message that took a turn was not sent. */
  returnTurn({ urgency }: ConversationQueue): void {
    if (urgency === 'reply') this.#turns.returnReply();
  }

  count(queue: ConversationQueue, urgency: Urgency, more: 1 | -1): void {
    this.#size += more;
    this.#sizes[urgency] += more;
    if (urgency === 'reply') queue.replies += more;
    if (urgency === 'normal') queue.normals += more;
  }

  /** True where its messages have given the queue another class: it is the last of that. */
  classify(queue: ConversationQueue): boolean {
    const others = queue.normals > 0 ? 'normal' : 'bulk';
    const urgency = queue.replies > 0 ? 'reply' : others;
    if (urgency === queue.urgency) return false;
    this.#classes[queue.urgency].delete(queue);
    queue.urgency = urgency;
    this.#classes[urgency].add(queue);
    return true;
  }

  moveToEnd(queue: ConversationQueue): void {
    // It may be gone, and its conversation may have another.
    if (this.#classes[queue.urgency].delete(queue)) this.#classes[queue.urgency].add(queue);
  }
}

function mayGo({ busy, notBefore }: ConversationQueue, now: number): boolean {
  return !busy && notBefore <= now;
}

function hasDueIn(queues: ReadonlySet<ConversationQueue>, now: number): boolean {
  for (const queue of queues) if (mayGo(queue, now)) return true;
  return false;
}

/** Queues of one class whose oldest message may be sent now, in order. */
class DueQueues {
  /** Those that have to wait. */
  readonly waiting: ConversationQueue[] = [];
  readonly #queues: Iterator<ConversationQueue>;
  readonly #now: number;
  #next: Dequeued | null;

  constructor(queues: ReadonlySet<ConversationQueue>, now: number) {
    this.#queues = queues.values();
    this.#now = now;
    this.#next = this.#find();
  }

  get has(): boolean {
    return this.#next !== null;
  }

  take(): Dequeued {
    const taken = this.#next;
    if (!taken) throw new Error('no queue of this class is due');
    this.#next = this.#find();
    return taken;
  }

  putOff(queue: ConversationQueue, waitMs: number): void {
    queue.notBefore = this.#now + waitMs;
    queue.held = null;
    this.waiting.push(queue);
  }

  #find(): Dequeued | null {
    const passed: ConversationQueue[] = [];
    for (let next = this.#queues.next(); !next.done; next = this.#queues.next()) {
      const queue = next.value;
      const [message] = queue.messages;
      if (queue.busy || !message) continue;
      if (queue.notBefore > this.#now) {
        passed.push(queue);
        continue;
      }
      // Those before it are examined once and not with every batch.
      this.waiting.push(...passed);
      return { queue, message };
    }
    return null;
  }
}
