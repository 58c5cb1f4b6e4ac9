/**
 * Agenda of flows. The log holds each run's timer on the last entry of its conversation. A due
 * timer is posted to the conversation as a command.
 *
 * 1. No timer is lost with a process. Every 5 s the owner of a partition reads its timers that are
 *    due before the next poll, in pages to the end. It reads again at once while more remain.
 * 2. Memory is bounded: timers due within half a minute, and a bound for each organization. The
 *    read excludes an organization with enough in memory: its backlog hides no other's.
 * 3. Organizations take turns, and the number of posts in flight is bounded.
 * 4. A timer whose run cannot advance is backed off in the store, each time for longer.
 * 5. A run does not advance before its last step's commands to other actors are published.
 * 6. A duplicate or late timer does nothing: its turn checks whether the run still waits.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Filter } from '../../shared/ports/store.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { FairScheduler, type StartedWork } from '../runtime/fair-scheduler.ts';
import { ForegroundActivity } from '../runtime/foreground-activity.ts';
import type { FlowTimer } from './commands.ts';
import { type BufferedTimer, type DueEntry, TimerBuffer } from './timer-buffer.ts';
import { backOffTimer, readTimers } from './timer-pages.ts';

/** Delay that batches the partitions acquired at one time: one read serves them all. */
const POLL_SOON_MS = 20;
const NEAR_MS = 30_000;
/**
 * Posts in flight. Posts wait for journaled commits, which are grouped: 64 of an organization
 * drained half as fast as its runs were started. A post to a stuck run lasts up to 8 s.
 */
const POSTS = { perOrganization: 256, perProcess: 2_048, whileContended: 1 };
/**
 * A posted timer may still be on the agenda, since its entry is cleared after the next one. Shorter
 * than the time between two polls: the next poll finds a lost call.
 */
const COOLDOWN_MS = POLL_EVERY_MS - 500;
const RECENTLY_POSTED_MAX = 20_000;

type TimersEnvironment = Pick<Environment, 'bus' | 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class FlowTimers {
  readonly #environment: TimersEnvironment;
  readonly #partitions = new Set<number>();
  readonly #buffer = new TimerBuffer();
  readonly #scheduler: FairScheduler;
  /** By conversation, the entry of the post in flight. */
  readonly #posting = new Map<string, DueEntry>();
  /** By conversation, `seq` of the posted entry and the end of its cooldown. */
  readonly #recentlyPosted = new GenerationalCache<
    string,
    { readonly seq: number; readonly until: number }
  >(RECENTLY_POSTED_MAX);
  readonly #blocked = new Map<string, number>();
  #cancelPoll: (() => void) | null = null;
  #polling = false;
  /** Requested during a poll, which may have missed the newest timers. */
  #pollAgain = false;

  constructor(
    environment: TimersEnvironment,
    duePoller: Pick<DuePoller, 'add'>,
    foregroundActivity: Pick<ForegroundActivity, 'isContended'> = new ForegroundActivity(
      environment.clock,
    ),
  ) {
    this.#environment = environment;
    const start = (conversationId: string) => this.#start(conversationId);
    this.#scheduler = new FairScheduler(POSTS, start, (orgId) =>
      foregroundActivity.isContended(orgId),
    );
    duePoller.add({
      question: () =>
        this.#partitions.size > 0
          ? { collection: 'entries', filter: this.#due(this.#buffer.saturated()) }
          : null,
      poll: () => this.#pollSoon(),
    });
  }

  acquire(partition: number): void {
    this.#partitions.add(partition);
    this.#pollSoon();
  }

  release(partition: number): void {
    this.#partitions.delete(partition);
    for (const timer of this.#buffer.values()) {
      if (partitionOf('conversation', timer.conversationId) === partition) this.#drop(timer);
    }
  }

  /** Adds the timer of an entry; its run is advanced when it is due. */
  add(due: DueEntry, { fresh = true } = {}): void {
    const { conversationId, seq, at } = due;
    if (!this.#partitions.has(partitionOf('conversation', conversationId))) return;
    const known = this.#buffer.get(conversationId);
    if (known && (known.seq > seq || (known.seq === seq && known.at === at))) return;
    if (this.#posting.get(conversationId)?.seq === seq || this.#isRecentlyPosted(due)) return;
    if (known) this.#drop(known);
    const inMs = at - this.#environment.clock.now();
    if (inMs > NEAR_MS) return;
    const timing = { due: inMs <= 0, fresh };
    if (this.#buffer.hasRoom(due, timing)) this.#arm(due, inMs);
    else this.#buffer.defer(due, timing);
  }

  /** Id of the entry whose timer is being posted: a change by id costs the store a third. */
  entryIdOf(conversationId: string, seq: number): string | undefined {
    const posting = this.#posting.get(conversationId);
    return posting?.seq === seq ? posting.entryId : undefined;
  }

  /** Blocks the conversation's run until the returned function is called. */
  block(conversationId: string): () => void {
    this.#blocked.set(conversationId, (this.#blocked.get(conversationId) ?? 0) + 1);
    return () => {
      const left = (this.#blocked.get(conversationId) ?? 1) - 1;
      if (left > 0) this.#blocked.set(conversationId, left);
      else this.#blocked.delete(conversationId);
      this.#fire(conversationId);
    };
  }

  #isRecentlyPosted({ conversationId, seq }: DueEntry): boolean {
    const posted = this.#recentlyPosted.get(conversationId);
    return posted?.seq === seq && posted.until > this.#environment.clock.monotonic();
  }

  #drop({ orgId, conversationId }: DueEntry): void {
    this.#scheduler.cancel(orgId, conversationId);
    this.#buffer.remove(conversationId);
  }

  #arm(due: DueEntry, inMs: number): void {
    const { conversationId } = due;
    const fire = () => this.#fire(conversationId);
    const cancel = inMs > 0 ? this.#environment.clock.after(inMs, fire) : () => undefined;
    this.#buffer.put({ ...due, due: inMs <= 0, cancel });
    if (inMs <= 0) fire();
  }

  #fire(conversationId: string): void {
    const timer = this.#buffer.get(conversationId);
    if (!timer) return;
    const earlyMs = timer.at - this.#environment.clock.now();
    // A timer may fire a millisecond before the wall clock's time: it is set again, never dropped.
    if (earlyMs > 0) return this.#arm(timer, earlyMs);
    if (!timer.due) return this.#arm(timer, 0);
    if (this.#isBlocked(conversationId)) return;
    this.#scheduler.enqueue(timer.orgId, conversationId);
  }

  #isBlocked(conversationId: string): boolean {
    return this.#blocked.has(conversationId) || this.#posting.has(conversationId);
  }

  /** Posts the conversation's timer; null where it is no longer due or is blocked. */
  #start(conversationId: string): StartedWork | null {
    const timer = this.#buffer.get(conversationId);
    if (!timer?.due || this.#isBlocked(conversationId)) return null;
    this.#buffer.remove(conversationId);
    this.#posting.set(conversationId, timer);
    const ended = this.#post(timer).finally(() => {
      this.#posting.delete(conversationId);
      this.#fire(conversationId);
      if (this.#buffer.needsRefill()) this.#pollSoon();
    });
    return { ended };
  }

  /** Never rejects. */
  async #post(timer: BufferedTimer): Promise<void> {
    const { conversationId, seq } = timer;
    const { bus, clock, log } = this.#environment;
    const command: FlowTimer = { id: `${conversationId}.${seq}.timer`, type: 'flow-timer', seq };
    try {
      const deadline = clock.now() + ASK_DEADLINE_MS;
      const { status } = await bus.ask({ kind: 'conversation', key: conversationId }, command, {
        deadline,
      });
      if (status < 500) {
        this.#recentlyPosted.set(conversationId, { seq, until: clock.monotonic() + COOLDOWN_MS });
        return;
      }
      log.warn({ conversationId, status }, 'flow timer not acknowledged');
    } catch (cause) {
      log.warn({ conversationId, error: describe(cause) }, 'flow timer not acknowledged');
    }
    await backOffTimer(this.#environment, timer);
  }

  #pollSoon(): void {
    this.#pollAgain = this.#polling;
    if (this.#polling) return;
    this.#cancelPoll ??= this.#environment.clock.after(POLL_SOON_MS, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#cancelPoll = null;
    this.#polling = true;
    this.#pollAgain = false;
    try {
      await this.#readDue();
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'poll of the flow agenda failed');
    }
    this.#polling = false;
    if (this.#pollAgain) this.#pollSoon();
  }

  /** Timers due before the next poll, without saturated organizations. */
  #due(excluded: readonly string[]): Filter {
    return {
      timer: { $exists: true },
      'timer.partition': { $in: [...this.#partitions] },
      'timer.at': { $lte: this.#environment.clock.now() + POLL_EVERY_MS },
      ...(excluded.length > 0 ? { 'timer.orgId': { $nin: excluded } } : {}),
    };
  }

  async #readDue(): Promise<void> {
    this.#buffer.beginReading();
    const goesOn = (): boolean =>
      this.#partitions.size > 0 && this.#environment.leaseHeld() && !this.#buffer.full;
    const pages = readTimers(this.#environment.store, () => this.#due(this.#buffer.exclude()));
    while (goesOn()) {
      const { value: page, done } = await pages.next();
      if (done) return;
      for (const { _id: entryId, conversationId, orgId, seq, timer } of page) {
        this.add({ entryId, conversationId, orgId, seq, at: timer.at }, { fresh: false });
      }
    }
    this.#buffer.deferRest();
  }
}
