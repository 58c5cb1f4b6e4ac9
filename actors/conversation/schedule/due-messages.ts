/**
 * Agenda of scheduled messages. The log holds each one's time on its own entry. When it has come,
 * the conversation gets a command, and settles all that is due in it.
 *
 * 1. Memory holds conversations with a message that is due within half a minute, each with its
 *    earliest time (`due-timers.ts`). A message is late by milliseconds, not by a poll.
 * 2. A conversation that failed waits for the next poll. A duplicate or early command does nothing.
 */

import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import type { Environment } from '../../environment.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument, SettleDue } from '../../model/conversation.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { type DuePoller, POLL_EVERY_MS } from '../../runtime/due-poller.ts';
import { DueTimers } from '../../runtime/due-timers.ts';
import { pagesOf } from '../../runtime/pages.ts';
import { onShelves } from '../../runtime/shelves.ts';

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

type DueEntry = Pick<EntryDocument, '_id' | 'conversationId' | 'due'>;

type DueEnvironment = Pick<Environment, 'bus' | 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class DueMessages {
  readonly #environment: DueEnvironment;
  readonly #timers: DueTimers<'entries', DueConversation, DueEntry>;

  constructor(
    environment: DueEnvironment,
    duePoller: Pick<DuePoller, 'add'>,
    isContended: (orgId: string) => boolean = () => false,
  ) {
    this.#environment = environment;
    this.#timers = new DueTimers<'entries', DueConversation, DueEntry>(environment, duePoller, {
      collection: 'entries',
      // Due before the next poll.
      due: (numbers) => ({
        due: { $exists: true },
        ...onShelves(numbers, 'due.'),
        'due.at': { $lte: environment.clock.now() + POLL_EVERY_MS },
      }),
      orgPath: 'due.orgId',
      pages: (filter) => duePages(environment.store, filter),
      work: ({ conversationId, due }) => {
        if (due) this.#add({ conversationId, orgId: due.orgId, at: due.at }, false);
      },
      caps: ASKS,
      isContended,
      post: (due) => this.#settle(due),
      failedMessage: 'poll of scheduled messages failed',
    });
  }

  acquire(partition: number, epoch: number): void {
    this.#timers.acquire(partition, epoch);
  }

  release(partition: number): void {
    this.#timers.release(partition);
  }

  /** A message was scheduled in a conversation of this process. */
  accepted({ conversationId, due }: Pick<EntryDocument, 'conversationId' | 'due'>): void {
    if (due) this.#add({ conversationId, orgId: due.orgId, at: due.at }, true);
  }

  #add(due: DueConversation, fresh: boolean): void {
    const known = this.#timers.buffered(due.conversationId);
    if (!known || known.at > due.at) this.#timers.set(due, fresh);
  }

  async #settle(due: DueConversation): Promise<void> {
    const next = await this.#ask(due);
    if (next !== null) this.#add({ ...due, at: next }, true);
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
}

const DUE_INDEX = {
  'due.partition': 1,
  'due.at': 1,
  _id: 1,
  'due.orgId': 1,
  conversationId: 1,
  'due.place': 1,
} as const;

function duePages(store: Pick<Store, 'find'>, filter: () => Filter<'entries'>) {
  return pagesOf(store, {
    collection: 'entries',
    filter,
    by: { path: 'due.at', of: ({ due }) => due?.at },
    size: PAGE,
    index: DUE_INDEX,
    project: { conversationId: 1, due: 1 },
  });
}
