/**
 * Agenda of flows. The log holds each run's timer on the last entry of its conversation. A due
 * timer is posted to the conversation as a command (`due-timers.ts`). Typing is shown while a run
 * waits for its timer (docs/flows.md).
 *
 * 1. A timer whose run cannot advance is backed off in the store, each time for longer.
 * 2. A run does not advance before its last step's commands to other actors are published.
 * 3. A duplicate or late timer does nothing: its turn checks whether the run still waits.
 */

import { GenerationalCache } from '../../../shared/generational-cache.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import type { OutboxItem } from '../../../shared/wire/outbox.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { type Run, timerOf } from '../../domain/flow-run.ts';
import type { Environment } from '../../environment.ts';
import type { ShowPresence } from '../../model/channel.ts';
import type { Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import type { FlowTimer } from '../../model/flow.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { type DuePoller, POLL_EVERY_MS } from '../../runtime/due-poller.ts';
import { DueTimers } from '../../runtime/due-timers.ts';
import { ForegroundActivity } from '../../runtime/organization-scheduler.ts';
import { onShelves } from '../../runtime/shelves.ts';
import { lastReceived } from './last-received.ts';
import { backOffTimer, type DueEntry, readTimers, type TimedEntry } from './stored-timers.ts';

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
/** Conversations; one that was forgotten may cost a turn that does nothing. */
const RECENTLY_POSTED_MAX = 20_000;

type Posted = { readonly seq: number; readonly until: number };
type TimersEnvironment = Pick<Environment, 'bus' | 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class FlowTimers {
  readonly #environment: TimersEnvironment;
  readonly #timers: DueTimers<'entries', DueEntry, TimedEntry>;
  /** By conversation, `seq` of the posted entry and the end of its cooldown. */
  readonly #recentlyPosted = new GenerationalCache<string, Posted>(RECENTLY_POSTED_MAX);
  /** By conversation, the number of publications that its run waits for. */
  readonly #blocked = new Map<string, number>();
  /** By partition of conversations here, wall-clock time of its acquisition. */
  readonly #acquiredAt = new Map<number, number>();

  constructor(
    environment: TimersEnvironment,
    duePoller: Pick<DuePoller, 'add'>,
    foreground: Pick<ForegroundActivity, 'isContended'> = new ForegroundActivity(environment.clock),
  ) {
    this.#environment = environment;
    this.#timers = new DueTimers<'entries', DueEntry, TimedEntry>(environment, duePoller, {
      collection: 'entries',
      // Due before the next poll.
      due: (numbers) => ({
        timer: { $exists: true },
        ...onShelves(numbers, 'timer.'),
        'timer.at': { $lte: environment.clock.now() + POLL_EVERY_MS },
      }),
      orgPath: 'timer.orgId',
      pages: (filter) => readTimers(environment.store, filter),
      work: ({ _id: entryId, conversationId, orgId, seq, timer }) => {
        const fresh = false;
        if (timer) this.add({ entryId, conversationId, orgId, seq, at: timer.at }, { fresh });
      },
      caps: POSTS,
      isContended: (orgId) => foreground.isContended(orgId),
      isBusy: (conversationId) => this.#blocked.has(conversationId),
      post: (timer) => this.#post(timer),
      failedMessage: 'poll of the flow agenda failed',
    });
  }

  acquire(partition: number, epoch: number): void {
    this.#acquiredAt.set(partition, this.#environment.clock.now());
    this.#timers.acquire(partition, epoch);
  }

  release(partition: number): void {
    this.#acquiredAt.delete(partition);
    this.#timers.release(partition);
  }

  /** Adds the timer of an entry; its run is advanced when it is due. */
  add(due: DueEntry, { fresh = true } = {}): void {
    const { conversationId, seq, at } = due;
    const known = this.#timers.buffered(conversationId);
    if (known && (known.seq > seq || (known.seq === seq && known.at === at))) return;
    if (this.#timers.posting(conversationId)?.seq === seq) return;
    const posted = this.#recentlyPosted.get(conversationId);
    if (posted?.seq === seq && posted.until > this.#environment.clock.monotonic()) return;
    this.#timers.set(due, fresh);
  }

  /** Id of the entry whose timer is being posted: a change by id costs the store a third. */
  entryIdOf(conversationId: string, seq: number): string | undefined {
    const posting = this.#timers.posting(conversationId);
    return posting?.seq === seq ? posting.entryId : undefined;
  }

  /** Blocks the conversation's run until the returned function is called. */
  block(conversationId: string): () => void {
    this.#blocked.set(conversationId, (this.#blocked.get(conversationId) ?? 0) + 1);
    return () => {
      const left = (this.#blocked.get(conversationId) ?? 1) - 1;
      if (left > 0) this.#blocked.set(conversationId, left);
      else this.#blocked.delete(conversationId);
      this.#timers.fire(conversationId);
    };
  }

  /** Never rejects. */
  async #post(timer: DueEntry): Promise<void> {
    const { conversationId, seq, at } = timer;
    const { bus, clock, log } = this.#environment;
    const acquiredAt = this.#acquiredAt.get(partitionOf('conversation', conversationId)) ?? 0;
    const command: FlowTimer = {
      ...{ id: `${conversationId}.${seq}.timer`, type: 'flow-timer', seq },
      ...(at < acquiredAt ? { recovered: true } : {}),
    };
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
  const timed = before && timerOf(before) !== null ? before : null;
  const entryId = timed ? flows.timers.entryIdOf(conversationId, timed.seq) : undefined;
  if (timer) flows.timers.add({ entryId: entry._id, conversationId, orgId, seq, at: timer.at });
  if (!timed) return;
  const entryKey = { conversationId, ...(entryId ? { _id: entryId } : { seq: timed.seq }) };
  clearTimer(environment.store, entryKey).catch((cause: unknown) => {
    const fault = { conversationId, error: describe(cause) };
    environment.log.warn(fault, 'clearing a flow timer failed');
  });
}

export async function clearTimer(
  store: Store,
  filter: Pick<EntryDocument, 'conversationId'> &
    (Pick<EntryDocument, '_id'> | Pick<EntryDocument, 'seq'>),
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

/**
 * Shows typing where the entry has brought the run to a delay with it. Best effort: it is asked
 * once, after the entry is committed, and nothing waits for it. Never rejects.
 */
export async function showTyping(
  environment: Environment,
  before: ConversationState | null,
  { after }: Pick<EntryDocument, 'after'>,
): Promise<void> {
  const { run, channelId } = after;
  if (run?.phase.kind !== 'delay' || run.phase.typing !== true) return;
  if (isSameVisit(before?.run, run)) return;
  const { bus, clock, log } = environment;
  try {
    const { externalId, fullId } = (await lastReceived(environment.store, after))?.message ?? {};
    // The network shows it as a reaction to a message of the contact.
    if (!externalId) return;
    const command: ShowPresence = {
      id: `${run.id}-${run.visit}-typing`,
      type: 'show-presence',
      presence: {
        to: after.networkId ?? after.contact.phone,
        shows: 'typing',
        message: { externalId, ...(fullId === undefined ? {} : { fullId }), fromMe: false },
      },
      until: run.phase.until,
    };
    const to = { kind: 'channel', key: channelId } as const;
    await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
  } catch (fault) {
    log.warn({ channelId, error: describe(fault) }, 'typing not shown');
  }
}

function isSameVisit(before: Run | null | undefined, { id, visit }: Run): boolean {
  return before?.id === id && before.visit === visit;
}
