/**
 * Agenda of timers: at its time, each is posted to its conversation as a command. A kind supplies
 * the query for its timers in the store, and the post.
 *
 * 1. No timer is lost with a process. Every 5 s the owner of a partition reads the timers that are
 *    due before the next poll, in pages to the end. It reads again at once while more remain.
 * 2. Memory holds the timers of the next half minute, one of a conversation. It is bounded, for
 *    each organization too. The read excludes an organization with enough in memory: its backlog
 *    hides no other's.
 * 3. Organizations take turns, and the number of posts in flight is bounded.
 * 4. A conversation has one post in flight.
 */
import type { Document } from '../../shared/ports/store.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { Name, PathOf } from '../model/collections.ts';
import { type Caps, type IsContended, onceATick } from './concurrency.ts';
import type { DuePoller } from './due-poller.ts';
import { type DueKind, DueWork } from './due-work.ts';
import { FairScheduler, type StartedWork } from './fair-scheduler.ts';
import { withoutWorkers } from './owned-partitions.ts';
import { TimerBuffer } from './timer-buffer.ts';

const NEAR_MS = 30_000;

/** A timer of a conversation. */
interface Timed {
  readonly conversationId: string;
  readonly orgId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface StoredTimer extends Document {
  readonly conversationId: string;
}

type Agenda<Of extends Name, Stored extends Document> = Pick<
  DueKind<Of, Stored>,
  'collection' | 'due' | 'pages' | 'work' | 'failedMessage'
>;

interface TimerKind<Of extends Name, Timer extends Timed, Stored extends StoredTimer>
  extends Agenda<Of, Stored> {
  /** Path of the organization's id in a document. */
  readonly orgPath: PathOf<Of>;
  /** Bounds of the posts in flight. */
  readonly caps: Caps;
  readonly isContended: IsContended;
  /** Whether the conversation's timer waits, although it is due, until `fire` is called. */
  readonly isBusy?: (conversationId: string) => boolean;
  /** Posts a due timer. Never rejects. */
  readonly post: (timer: Timer) => Promise<void>;
}

type TimersEnvironment = Pick<Environment, 'clock' | 'log' | 'leaseHeld'>;

export class DueTimers<Of extends Name, Timer extends Timed, Stored extends StoredTimer> {
  readonly #environment: TimersEnvironment;
  readonly #kind: TimerKind<Of, Timer, Stored>;
  readonly #owned = withoutWorkers();
  readonly #due: DueWork<Of, Stored>;
  readonly #buffer = new TimerBuffer<Timer>();
  readonly #scheduler: FairScheduler;
  /** By conversation, the timer of the post in flight. */
  readonly #posting = new Map<string, Timer>();

  constructor(
    environment: TimersEnvironment,
    duePoller: Pick<DuePoller, 'add'>,
    kind: TimerKind<Of, Timer, Stored>,
  ) {
    this.#environment = environment;
    this.#kind = kind;
    const start = (conversationId: string) => this.#start(conversationId);
    this.#scheduler = new FairScheduler(kind.caps, start, kind.isContended);
    this.#due = new DueWork<Of, Stored>(environment, duePoller, {
      ...kind,
      owned: this.#owned,
      key: { path: kind.orgPath, saturated: () => this.#buffer.exclude() },
      hasCapacity: () => !this.#buffer.full,
      partitionOf: ({ conversationId }) => partitionOf('conversation', conversationId),
      poll: () => this.#poll(),
    });
  }

  acquire(partition: number, epoch: number): void {
    this.#owned.acquire(partition, epoch);
    this.#due.pollSoon();
  }

  release(partition: number): void {
    this.#owned.release(partition);
    this.#dropReleased();
  }

  /** Once for all partitions of a tick: a lost lease ends a thousand. */
  readonly #dropReleased = onceATick(() => {
    for (const timer of this.#buffer.values()) {
      if (!this.#owned.get(partitionOf('conversation', timer.conversationId))) this.#drop(timer);
    }
  });

  /** The conversation's timer that has not been posted. */
  buffered(conversationId: string): Timer | undefined {
    return this.#buffer.get(conversationId);
  }

  /** The conversation's timer whose post is in flight. */
  posting(conversationId: string): Timer | undefined {
    return this.#posting.get(conversationId);
  }

  /** Sets the conversation's timer. A fresh one was made by a turn of this process. */
  set(timer: Timer, fresh: boolean): void {
    const { conversationId, at } = timer;
    if (!this.#owned.get(partitionOf('conversation', conversationId))) return;
    const known = this.#buffer.get(conversationId);
    if (known) this.#drop(known);
    const inMs = at - this.#environment.clock.now();
    if (inMs > NEAR_MS) return;
    const timing = { due: inMs <= 0, fresh };
    if (this.#buffer.hasCapacity(timer, timing)) this.#arm(timer, inMs);
    else this.#buffer.defer(timer, timing);
  }

  /** Enqueues the conversation's timer if it is due and may be posted. */
  fire(conversationId: string): void {
    const timer = this.#buffer.get(conversationId);
    if (!timer) return;
    const earlyMs = timer.at - this.#environment.clock.now();
    // A timer may fire a millisecond before the wall clock's time: it is set again, never dropped.
    if (earlyMs > 0) return this.#arm(timer, earlyMs);
    if (!timer.due) return this.#arm(timer, 0);
    if (!this.#isBusy(conversationId)) this.#scheduler.enqueue(timer.orgId, conversationId);
  }

  #drop({ orgId, conversationId }: Timer): void {
    this.#scheduler.cancel(orgId, conversationId);
    this.#buffer.remove(conversationId);
  }

  #arm(timer: Timer, inMs: number): void {
    const fire = () => this.fire(timer.conversationId);
    const cancel = inMs > 0 ? this.#environment.clock.after(inMs, fire) : () => undefined;
    this.#buffer.put({ ...timer, due: inMs <= 0, cancel });
    if (inMs <= 0) fire();
  }

  #isBusy(conversationId: string): boolean {
    return this.#posting.has(conversationId) || this.#kind.isBusy?.(conversationId) === true;
  }

  /** Posts the conversation's timer; null where it is no longer due or is busy. */
  #start(conversationId: string): StartedWork | null {
    const timer = this.#buffer.get(conversationId);
    if (!timer?.due || this.#isBusy(conversationId)) return null;
    this.#buffer.remove(conversationId);
    this.#posting.set(conversationId, timer);
    const ended = this.#kind.post(timer).finally(() => {
      this.#posting.delete(conversationId);
      this.fire(conversationId);
      if (this.#buffer.needsRefill()) this.#due.pollSoon();
    });
    return { ended };
  }

  async #poll(): Promise<void> {
    this.#buffer.beginReading();
    if (!(await this.#due.read(this.#due.pages()))) this.#buffer.deferRest();
  }
}
