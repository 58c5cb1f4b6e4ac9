/**
 * Agenda of scheduled messages. The log holds each one's time on its own entry. When it has come,
 * the conversation gets a command, and settles all that is due in it.
 *
 * 1. No message is lost with a process. Every 5 s the owner of a partition reads the messages that
 *    are due before the next poll, in pages to the end.
 * 2. Memory holds conversations with a message that is due within half a minute, each with its
 *    earliest time. A message is late by milliseconds, not by a poll.
 * 3. Memory is bounded, for each organization too. The read excludes an organization with enough in
 *    memory: its backlog hides no other's. Organizations take turns.
 * 4. A conversation that failed waits for the next poll. A duplicate or early command does nothing.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Document, Store } from '../../shared/ports/store.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { EntryDocument } from '../conversation/api.ts';
import type { Environment } from '../environment.ts';
import { TimerBuffer } from '../flow/timer-buffer.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { DueWork } from '../runtime/due-work.ts';
import { FairScheduler, type StartedWork } from '../runtime/fair-scheduler.ts';
import { withoutWorkers } from '../runtime/owned-partitions.ts';
import { pagesOf } from '../runtime/pages.ts';
import type { SettleDue } from './commands.ts';

const NEAR_MS = 30_000;
const PAGE = 1_000;
/** Commands in flight: each waits for journaled commits, which are grouped. */
const ASKS = { perOrganization: 256, perProcess: 2_048, whileContended: 16 };

/** The earliest scheduled message of a conversation. */
interface DueConversation {
  readonly conversationId: string;
  readonly orgId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface DueEntry extends Document {
  readonly conversationId: string;
  readonly due: NonNullable<EntryDocument['due']>;
}

type DueEnvironment = Pick<Environment, 'bus' | 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class DueMessages {
  readonly #environment: DueEnvironment;
  readonly #owned = withoutWorkers();
  readonly #due: DueWork<DueEntry>;
  readonly #buffer = new TimerBuffer<DueConversation>();
  readonly #scheduler: FairScheduler;
  /** Conversations that have been asked to settle and have not answered. */
  readonly #asking = new Set<string>();

  constructor(
    environment: DueEnvironment,
    duePoller: Pick<DuePoller, 'add'>,
    isContended: (orgId: string) => boolean = () => false,
  ) {
    this.#environment = environment;
    this.#scheduler = new FairScheduler(ASKS, (id) => this.#start(id), isContended);
    this.#due = new DueWork<DueEntry>(environment, duePoller, {
      collection: 'entries',
      owned: this.#owned,
      // Due before the next poll.
      due: (numbers) => ({
        due: { $exists: true },
        'due.partition': { $in: numbers },
        'due.at': { $lte: environment.clock.now() + POLL_EVERY_MS },
      }),
      key: { path: 'due.orgId', saturated: () => this.#buffer.exclude() },
      hasRoom: () => !this.#buffer.full,
      pages: (filter) => duePages(environment.store, filter),
      partitionOf: ({ due }) => due.partition,
      work: ({ conversationId, due: { orgId, at } }) =>
        this.#add({ conversationId, orgId, at }, { fresh: false }),
      poll: () => this.#poll(),
      failedMessage: 'poll of scheduled messages failed',
    });
  }

  acquire(partition: number, epoch: number): void {
    this.#owned.acquire(partition, epoch);
    this.#due.pollSoon();
  }

  release(partition: number): void {
    this.#owned.release(partition);
    for (const due of this.#buffer.values()) {
      if (partitionOf('conversation', due.conversationId) === partition) this.#drop(due);
    }
  }

  /** A message was scheduled in a conversation of this process. */
  accepted({ conversationId, due }: Pick<EntryDocument, 'conversationId' | 'due'>): void {
    if (due) this.#add({ conversationId, orgId: due.orgId, at: due.at }, { fresh: true });
  }

  #add(due: DueConversation, { fresh }: { readonly fresh: boolean }): void {
    const { conversationId, at } = due;
    if (!this.#owned.get(partitionOf('conversation', conversationId))) return;
    const known = this.#buffer.get(conversationId);
    if (known && known.at <= at) return;
    const inMs = at - this.#environment.clock.now();
    if (inMs > NEAR_MS) return;
    if (known) this.#drop(known);
    const timing = { due: inMs <= 0, fresh };
    if (this.#buffer.hasRoom(due, timing)) this.#arm(due, inMs);
    else this.#buffer.defer(due, timing);
  }

  #drop({ orgId, conversationId }: DueConversation): void {
    this.#scheduler.cancel(orgId, conversationId);
    this.#buffer.remove(conversationId);
  }

  #arm(due: DueConversation, inMs: number): void {
    const { conversationId } = due;
    const fire = () => this.#fire(conversationId);
    const cancel = inMs > 0 ? this.#environment.clock.after(inMs, fire) : () => undefined;
    this.#buffer.put({ ...due, due: inMs <= 0, cancel });
    if (inMs <= 0) fire();
  }

  #fire(conversationId: string): void {
    const known = this.#buffer.get(conversationId);
    if (!known) return;
    const earlyMs = known.at - this.#environment.clock.now();
    // A timer may fire a millisecond before the wall clock's time: it is set again, never dropped.
    if (earlyMs > 0) return this.#arm(known, earlyMs);
    if (!known.due) return this.#arm(known, 0);
    if (!this.#asking.has(conversationId)) this.#scheduler.enqueue(known.orgId, conversationId);
  }

  /** Null where nothing is due any more, or the conversation settles already. */
  #start(conversationId: string): StartedWork | null {
    const known = this.#buffer.get(conversationId);
    if (!known?.due || this.#asking.has(conversationId)) return null;
    this.#buffer.remove(conversationId);
    this.#asking.add(conversationId);
    const ended = this.#ask(known).then((next) => {
      this.#asking.delete(conversationId);
      if (next !== null) this.#add({ ...known, at: next }, { fresh: true });
      this.#fire(conversationId);
      if (this.#buffer.needsRefill()) this.#due.pollSoon();
    });
    return { ended };
  }

  /** When the conversation's next message is due; null: none, or it is not known. Never rejects. */
  async #ask({ conversationId }: DueConversation): Promise<number | null> {
    const { bus, clock, log } = this.#environment;
    const command: SettleDue = { id: `${conversationId}.due`, type: 'settle-due' };
    const to = { kind: 'conversation', key: conversationId } as const;
    try {
      const answer = await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
      if (answer.status === 200) return bodyOf(answer).next;
      log.warn({ conversationId, status: answer.status }, 'scheduled messages not settled');
    } catch (cause) {
      log.warn({ conversationId, error: describe(cause) }, 'scheduled messages not settled');
    }
    return null;
  }

  async #poll(): Promise<void> {
    this.#buffer.beginReading();
    if (!(await this.#due.read(this.#due.pages()))) this.#buffer.deferRest();
  }
}

const DUE_INDEX = {
  'due.partition': 1,
  'due.at': 1,
  _id: 1,
  'due.orgId': 1,
  conversationId: 1,
} as const;

function duePages(store: Pick<Store, 'find'>, filter: () => Readonly<Record<string, unknown>>) {
  return pagesOf<DueEntry>(store, {
    collection: 'entries',
    filter,
    by: { path: 'due.at', of: ({ due }) => due.at },
    size: PAGE,
    index: DUE_INDEX,
    project: { conversationId: 1, due: 1 },
  });
}
