/**
 * Queued messages of the channels that this process owns, as the store has them.
 *
 * 1. Each class is read by itself, replies first: no backlog of less urgent messages hides one.
 * 2. The poll leaves out channels that hold enough messages of a class, or hold some and cannot send
 *    now. The backlog of one channel hides no other.
 * 3. Memory holds the oldest messages of a long backlog; the store keeps the newer ones.
 */
import { URGENCIES, type Urgency } from '../../shared/vocabulary.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { ExistenceQuery, Filter, Store } from '../model/collections.ts';
import type { EntryDocument, SendAgenda } from '../model/conversation.ts';
import { questionOf } from '../runtime/computed.ts';
import { Batcher } from '../runtime/concurrency.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import { DueWork, type Pages } from '../runtime/due-work.ts';
import type { OwnedPartitions } from '../runtime/owned-partitions.ts';
import { RunAgain } from '../runtime/repeat.ts';
import { ofUrgency, onShelves, SENDS_BY_URGENCY } from '../runtime/shelves.ts';
import type { Backlog } from './sending/backlog.ts';
import type { ConversationQueues } from './sending/conversation-queues.ts';
import { orderOf, urgencyIn } from './sending/send-nudge.ts';

/** Of messages that wait in a channel's queue, by class and age. */
export const WAITING_INDEX = {
  'send.channelId': 1,
  'send.urgency': 1,
  'send.at': 1,
  'send.state': 1,
} as const;

const PAGES_MAX = 10;

/** What the agenda uses of a channel. */
interface QueueingChannel {
  readonly channelId: string;
  /** It holds enough messages of the class, or holds some and cannot send now. */
  isSaturated(urgency: Urgency): boolean;
  readonly sender: {
    readonly queue: {
      readonly conversations: Pick<ConversationQueues, 'add'>;
      readonly backlogs: Readonly<Record<Urgency, Pick<Backlog, 'recordRead'>>>;
    };
    pump(): void;
  };
}

interface OwnedQueues extends Pick<OwnedPartitions<never>, 'numbers' | 'tenuresNow'> {
  get(number: number): { of(channelId: string): QueueingChannel } | undefined;
  workers(numbers?: readonly number[]): readonly QueueingChannel[];
}

interface QueuedSendsOptions {
  readonly duePoller: Pick<DuePoller, 'add'>;
  readonly owned: OwnedQueues;
  /** Messages of one read. */
  readonly page: number;
}

type QueuedEnvironment = Pick<Environment, 'clock' | 'leaseHeld' | 'log' | 'store'>;

type DueSends = DueWork<'entries', QueuedEntry>;

export class QueuedSends {
  readonly #owned: OwnedQueues;
  readonly #due: Readonly<Record<Urgency, DueSends>>;
  readonly #acquired = new Batcher((numbers: readonly number[]) => this.#read(numbers));
  readonly #polling: RunAgain;

  constructor(environment: QueuedEnvironment, options: QueuedSendsOptions) {
    const { owned, duePoller } = options;
    this.#owned = owned;
    this.#polling = new RunAgain(
      () => this.#read(owned.numbers),
      (fault) => environment.log.warn({ error: describe(fault) }, FAILED),
    );
    const due = (urgency: Urgency) => this.#dueOf(urgency, environment, options);
    this.#due = { reply: due('reply'), normal: due('normal'), bulk: due('bulk') };
    for (const urgency of URGENCIES) {
      duePoller.add({
        question: () => this.#question(urgency),
        poll: () => this.#due[urgency].poll(),
      });
    }
  }

  /** Reads the messages of a partition; partitions of one moment share a read. */
  readAcquired(number: number): Promise<void> {
    return this.#acquired.add(number);
  }

  pollSoon(): void {
    this.#due.reply.pollSoon();
  }

  #dueOf(
    urgency: Urgency,
    environment: QueuedEnvironment,
    { owned, page }: QueuedSendsOptions,
  ): DueSends {
    return new DueWork<'entries', QueuedEntry>(environment, NO_POLLER, {
      ...{ collection: 'entries', owned },
      due: (numbers) => ({ ...queuedOn(numbers), ...ofUrgency(urgency) }),
      key: {
        path: 'send.channelId',
        saturated: () => this.#saturated(urgency).map(({ channelId }) => channelId),
        others: {
          of: ({ send }) => send?.channelId ?? '',
          partitionOf: (channelId) => partitionOf('channel', channelId),
        },
      },
      pages: (filter) => queuedPages(environment.store, filter(), page),
      pagesMax: PAGES_MAX,
      partitionOf: ({ send }) => (send ? partitionOf('channel', send.channelId) : -1),
      work: (entry) => this.#add(entry),
      poll: () => this.#polling.request(),
      failedMessage: FAILED,
    });
  }

  /** One question is asked for all classes unless a class leaves channels out. */
  #question(urgency: Urgency): ExistenceQuery | null {
    if (URGENCIES.some((each) => this.#due[each].leavesOut)) return this.#due[urgency].question();
    const { numbers } = this.#owned;
    const asks = urgency === 'reply' && numbers.length > 0;
    return asks ? questionOf('entries', queuedOn(numbers)) : null;
  }

  #add(entry: QueuedEntry): void {
    const { _id: entryId, conversationId, send } = entry;
    if (!send) return;
    const { channelId } = send;
    const channel = this.#owned.get(partitionOf('channel', channelId))?.of(channelId);
    const queued = { conversationId, seq: orderOf(entry), entryId, urgency: urgencyIn(send) };
    channel?.sender.queue.conversations.add(queued);
  }

  #saturated(urgency: Urgency): readonly QueueingChannel[] {
    return this.#owned.workers().filter((channel) => channel.isSaturated(urgency));
  }

  async #read(numbers: readonly number[]): Promise<void> {
    for (const urgency of URGENCIES) await this.#readClass(urgency, numbers);
  }

  async #readClass(urgency: Urgency, numbers: readonly number[]): Promise<void> {
    const due = this.#due[urgency];
    const saturated = new Set(this.#saturated(urgency));
    const isHeld = this.#owned.tenuresNow();
    const ended = await due.read(due.pages(numbers));
    const channels = this.#owned.workers(numbers.filter(isHeld));
    const read = channels.filter((channel) => !saturated.has(channel));
    for (const { sender } of read) {
      sender.queue.backlogs[urgency].recordRead(ended);
      sender.pump();
    }
    // One backlog filled the pages. Its channel is now saturated, so the next read finds others.
    if (!ended && read.some((channel) => channel.isSaturated(urgency))) this.pollSoon();
  }
}

/** The classes are asked for together. */
const NO_POLLER = { add: () => undefined };
const FAILED = 'could not read the send agenda';

function queuedOn(numbers: readonly number[]) {
  return { ...onShelves(numbers, 'send.'), send: { $exists: true } } as const;
}

const QUEUED_FIELDS = {
  conversationId: 1,
  seq: 1,
  'send.channelId': 1,
  'send.seq': 1,
  'send.urgency': 1,
} as const;

/** As far as the agenda reads it. */
interface QueuedEntry extends Pick<EntryDocument, '_id' | 'conversationId' | 'seq'> {
  readonly send?: Pick<SendAgenda, 'channelId' | 'seq' | 'urgency'>;
}

async function* queuedPages(
  store: Store,
  filter: Filter<'entries'>,
  limit: number,
): Pages<QueuedEntry> {
  for (let skip = 0; ; skip += limit) {
    const page = await store.find('entries', filter, {
      sort: { 'send.at': 1, seq: 1 },
      ...(skip > 0 ? { skip } : {}),
      limit,
      index: SENDS_BY_URGENCY,
      project: QUEUED_FIELDS,
    });
    yield page;
    if (page.length < limit) return;
  }
}
