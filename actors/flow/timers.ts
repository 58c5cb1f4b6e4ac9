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
import type { Store } from '../../shared/ports/store.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { EntryDocument } from '../conversation/api.ts';
import type { ConversationState } from '../domain/conversation.ts';
import { timerOf } from '../domain/flow/run.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { DueWork } from '../runtime/due-work.ts';
import { FairScheduler, type StartedWork } from '../runtime/fair-scheduler.ts';
import { ForegroundActivity } from '../runtime/organization-scheduler.ts';
import { withoutWorkers } from '../runtime/owned-partitions.ts';
import type { FlowTimer } from './commands.ts';
import {
  type BufferedTimer,
  backOffTimer,
  type DueEntry,
  readTimers,
  type TimedEntry,
  TimerBuffer,
} from './timer-buffer.ts';

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

type Posted = { readonly seq: number; readonly until: number };
type TimersEnvironment = Pick<Environment, 'bus' | 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class FlowTimers {
  readonly #environment: TimersEnvironment;
  readonly #owned = withoutWorkers();
  readonly #due: DueWork<TimedEntry>;
  readonly #buffer = new TimerBuffer();
  readonly #scheduler: FairScheduler;
  /** By conversation, the entry of the post in flight. */
  readonly #posting = new Map<string, DueEntry>();
  /** By conversation, `seq` of the posted entry and the end of its cooldown. */
  readonly #recentlyPosted = new GenerationalCache<string, Posted>(RECENTLY_POSTED_MAX);
  readonly #blocked = new Map<string, number>();

  constructor(
    environment: TimersEnvironment,
    duePoller: Pick<DuePoller, 'add'>,
    foreground: Pick<ForegroundActivity, 'isContended'> = new ForegroundActivity(environment.clock),
  ) {
    this.#environment = environment;
    const start = (conversationId: string) => this.#start(conversationId);
    this.#scheduler = new FairScheduler(POSTS, start, (orgId) => foreground.isContended(orgId));
    this.#due = new DueWork<TimedEntry>(environment, duePoller, {
      collection: 'entries',
      owned: this.#owned,
      // Due before the next poll.
      due: (numbers) => ({
        timer: { $exists: true },
        'timer.partition': { $in: numbers },
        'timer.at': { $lte: environment.clock.now() + POLL_EVERY_MS },
      }),
      key: { path: 'timer.orgId', saturated: () => this.#buffer.exclude() },
      hasRoom: () => !this.#buffer.full,
      pages: (filter) => readTimers(environment.store, filter),
      partitionOf: ({ conversationId }) => partitionOf('conversation', conversationId),
      work: ({ _id: entryId, conversationId, orgId, seq, timer: { at } }) =>
        this.add({ entryId, conversationId, orgId, seq, at }, { fresh: false }),
      poll: () => this.#poll(),
      failedMessage: 'poll of the flow agenda failed',
    });
  }

  acquire(partition: number, epoch: number): void {
    this.#owned.acquire(partition, epoch);
    this.#due.pollSoon();
  }

  release(partition: number): void {
    this.#owned.release(partition);
    for (const timer of this.#buffer.values()) {
      if (partitionOf('conversation', timer.conversationId) === partition) this.#drop(timer);
    }
  }

  /** Adds the timer of an entry; its run is advanced when it is due. */
  add(due: DueEntry, { fresh = true } = {}): void {
    const { conversationId, seq, at } = due;
    if (!this.#owned.get(partitionOf('conversation', conversationId))) return;
    const known = this.#buffer.get(conversationId);
    if (known && (known.seq > seq || (known.seq === seq && known.at === at))) return;
    const { clock } = this.#environment;
    if (this.#posting.get(conversationId)?.seq === seq) return;
    const posted = this.#recentlyPosted.get(conversationId);
    if (posted?.seq === seq && posted.until > clock.monotonic()) return;
    if (known) this.#drop(known);
    const inMs = at - clock.now();
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
      if (this.#buffer.needsRefill()) this.#due.pollSoon();
    });
    return { ended };
  }

  /** Never rejects. */
  async #post(timer: BufferedTimer): Promise<void> {
    const { conversationId, seq } = timer;
    const { bus, clock, log } = this.#environment;
    const command: FlowTimer = { id: `${conversationId}.${seq}.timer`, type: 'flow-timer', seq };
    const to = { kind: 'conversation', key: conversationId } as const;
    try {
      const { status } = await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
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

  async #poll(): Promise<void> {
    this.#buffer.beginReading();
    if (!(await this.#due.read(this.#due.pages()))) this.#buffer.deferRest();
  }
}

interface TimerParts {
  readonly environment: Environment;
  readonly flows: { readonly timers: FlowTimers };
}

/** A lost clear is harmless: a timer that is not of the last entry clears itself. */
export function updateTimer(
  { environment, flows }: TimerParts,
  before: ConversationState | null,
  entry: EntryDocument,
): void {
  const { conversationId, orgId, seq, timer } = entry;
  const entryId = before ? flows.timers.entryIdOf(conversationId, before.seq) : undefined;
  if (timer) flows.timers.add({ entryId: entry._id, conversationId, orgId, seq, at: timer.at });
  if (!before || timerOf(before) === null) return;
  const place = entryId ? { _id: entryId } : { conversationId, seq: before.seq };
  clearTimer(environment.store, place).catch((cause: unknown) => {
    const fault = { conversationId, error: describe(cause) };
    environment.log.warn(fault, 'clearing a flow timer failed');
  });
}

export async function clearTimer(
  store: Store,
  filter: Pick<EntryDocument, '_id'> | Pick<EntryDocument, 'conversationId' | 'seq'>,
): Promise<void> {
  const change = { $unset: { timer: '' } };
  await store.commit([{ update: 'entries', filter, change }], { deferrable: true });
}

/** Blocks the next step; the caller ends the block when the entry's commands are published. */
export function blockFlow(
  { flows }: TimerParts,
  entry: EntryDocument,
  outbox: readonly OutboxItem[],
): () => void {
  const waits = entry.after.run && outbox.some(({ type }) => type === 'command');
  return waits ? flows.timers.block(entry.conversationId) : () => undefined;
}
