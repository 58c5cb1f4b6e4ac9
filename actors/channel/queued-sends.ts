/**
 * Queued messages of the channels that this process owns, as the store has them.
 *
 * 1. The poll leaves out channels that hold enough messages, or hold some and cannot send now. The
 *    backlog of one channel hides no other.
 * 2. Memory holds the oldest messages of a long backlog; the store keeps the newer ones.
 */

import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { Filter, Store } from '../model/collections.ts';
import type { EntryDocument, SendAgenda } from '../model/conversation.ts';
import { Batcher } from '../runtime/concurrency.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import { DueWork, type Pages } from '../runtime/due-work.ts';
import type { OwnedPartitions } from '../runtime/owned-partitions.ts';
import { onShelves } from '../runtime/shelves.ts';
import type { Backlog } from './sending/backlog.ts';
import type { ConversationQueues } from './sending/conversation-queues.ts';
import { orderOf } from './sending/send-nudge.ts';

const PAGES_MAX = 10;

/** What the agenda uses of a channel. */
interface QueueingChannel {
  readonly channelId: string;
  /** It holds enough messages, or holds some and cannot send now. */
  readonly isSaturated: boolean;
  readonly sender: {
    readonly queue: {
      readonly conversations: Pick<ConversationQueues, 'add'>;
      readonly backlog: Pick<Backlog, 'recordRead'>;
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

export class QueuedSends {
  readonly #owned: OwnedQueues;
  readonly #due: DueWork<'entries', QueuedEntry>;
  readonly #acquired = new Batcher((numbers: readonly number[]) => this.#read(numbers));

  constructor(environment: QueuedEnvironment, { duePoller, owned, page }: QueuedSendsOptions) {
    this.#owned = owned;
    this.#due = new DueWork<'entries', QueuedEntry>(environment, duePoller, {
      ...{ collection: 'entries', owned },
      due: (numbers) => ({ ...onShelves(numbers, 'send.'), send: { $exists: true } }),
      key: {
        path: 'send.channelId',
        saturated: () => this.#saturated().map(({ channelId }) => channelId),
        others: {
          of: ({ send }) => send?.channelId ?? '',
          partitionOf: (channelId) => partitionOf('channel', channelId),
        },
      },
      pages: (filter) => queuedPages(environment.store, filter(), page),
      pagesMax: PAGES_MAX,
      partitionOf: ({ send }) => (send ? partitionOf('channel', send.channelId) : -1),
      work: (entry) => this.#add(entry),
      poll: () => this.#read(owned.numbers),
      failedMessage: 'could not read the send agenda',
    });
  }

  /** Reads the messages of a partition; partitions of one moment share a read. */
  readAcquired(number: number): Promise<void> {
    return this.#acquired.add(number);
  }

  pollSoon(): void {
    this.#due.pollSoon();
  }

  #add(entry: QueuedEntry): void {
    const { _id: entryId, conversationId, send } = entry;
    if (!send) return;
    const { channelId } = send;
    const channel = this.#owned.get(partitionOf('channel', channelId))?.of(channelId);
    channel?.sender.queue.conversations.add({ conversationId, seq: orderOf(entry), entryId });
  }

  #saturated(): readonly QueueingChannel[] {
    return this.#owned.workers().filter(({ isSaturated }) => isSaturated);
  }

  async #read(numbers: readonly number[]): Promise<void> {
    const saturated = new Set(this.#saturated());
    const isHeld = this.#owned.tenuresNow();
    const ended = await this.#due.read(this.#due.pages(numbers));
    const channels = this.#owned.workers(numbers.filter(isHeld));
    const read = channels.filter((channel) => !saturated.has(channel));
    for (const { sender } of read) {
      sender.queue.backlog.recordRead(ended);
      sender.pump();
    }
    // One backlog filled the pages. Its channel is now saturated, so the next read finds others.
    if (!ended && read.some(({ isSaturated }) => isSaturated)) this.#due.pollSoon();
  }
}

const QUEUED_FIELDS = {
  conversationId: 1,
  seq: 1,
  'send.channelId': 1,
  'send.seq': 1,
} as const;

/** As far as the agenda reads it. */
interface QueuedEntry extends Pick<EntryDocument, '_id' | 'conversationId' | 'seq'> {
  readonly send?: Pick<SendAgenda, 'channelId' | 'seq'>;
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
      project: QUEUED_FIELDS,
    });
    yield page;
    if (page.length < limit) return;
  }
}
