/**
 * Send agenda: the owner of a channel partition finds its queued messages in MongoDB.
 *
 * 1. A nudge may be lost and only saves time: the fallback poll finds the message within 5 s.
 * 2. The poll leaves out channels that hold enough messages, or hold some and cannot send now. The
 *    backlog of one channel hides no other.
 * 3. Memory holds the oldest messages of a long backlog; the store keeps the newer ones.
 * 4. The owner probes every channel of its partitions. A new channel whose notice was lost is
 *    probed within a minute.
 * 5. The sweep removes unmatched receipts, uploads and files that no message needs.
 */
import { MEDIA_UNREFERENCED_KEPT_MS } from '../../shared/limits.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { SendNudge } from '../model/channel.ts';
import type { Filter, Store } from '../model/collections.ts';
import type { EntryDocument, SendAgenda } from '../model/conversation.ts';
import { organizationPages } from '../organization/read-organization.ts';
import { Batcher } from '../runtime/concurrency.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { DueWork, type Pages } from '../runtime/due-work.ts';
import type { RefusedWebhooks } from '../runtime/kind.ts';
import { OwnedPartitions, Tenure } from '../runtime/owned-partitions.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { onShelves } from '../runtime/shelves.ts';
import { type ChannelCaches, createChannelCaches, type InboundCalls } from './channel-caches.ts';
import { ChannelSender } from './channel-sender.ts';
import type { InsertClaim, SendClaimer, SentEntry } from './claim-on-insert.ts';
import { BACKLOG_PAGE } from './conversation-queues.ts';
import { MediaDownloads } from './media-downloads.ts';
import { ReadBacks } from './read-back.ts';
import { reportsOf, sweepUnmatchedReceipts } from './reports.ts';
import { orderOf } from './send-nudge.ts';
import { TemplateSync } from './template-sync.ts';
import { sweepUploads } from './uploads.ts';
import { refusedOf } from './webhook.ts';

const PAGES_MAX = 10;
/** Within the 10 s that a process has for its whole shutdown. */
const DRAIN_MS = 3_000;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
/** The probe interval of a channel that can send. */
const PROBE_UNKNOWN_EVERY_MS = 60_000;
/** A process acquires all its partitions at the same moment, and their reads share one result. */
const SHARED_MS = 1_000;

type ChannelTenure = Tenure<ChannelSender>;

export class ChannelAgenda implements SendClaimer {
  readonly #environment: Environment;
  readonly #owned = new OwnedPartitions<ChannelSender>((epoch) => this.#begin(epoch));
  readonly #due: DueWork<'entries', QueuedEntry>;
  readonly #mediaDownloads: MediaDownloads;
  readonly #caches: ChannelCaches;
  readonly #readBacks = new ReadBacks();
  readonly #templateSync: TemplateSync;
  readonly #channels: ChannelList;
  readonly #page: number;
  readonly #acquired = new Batcher((numbers: readonly number[]) => this.#readQueued(numbers));
  #periodic = false;

  /** @param page messages of one read of a backlog; a test needs no backlog of thousands */
  constructor(environment: Environment, duePoller: Pick<DuePoller, 'add'>, page = BACKLOG_PAGE) {
    this.#environment = environment;
    this.#page = page;
    this.#caches = createChannelCaches(environment.clock);
    this.#channels = new ChannelList(environment);
    this.#templateSync = new TemplateSync(environment);
    this.#mediaDownloads = new MediaDownloads(environment, duePoller, {
      owned: this.#owned,
      configurationOf: async (channelId) => {
        const tenure = this.#owned.get(partitionOf('channel', channelId));
        return tenure ? tenure.of(channelId).configuration() : null;
      },
    });
    this.#due = new DueWork<'entries', QueuedEntry>(environment, duePoller, {
      collection: 'entries',
      owned: this.#owned,
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
      work: (entry) => {
        const { _id: entryId, conversationId, send } = entry;
        if (!send) return;
        const { channelId } = send;
        const sender = this.#owned.get(partitionOf('channel', channelId))?.of(channelId);
        sender?.queues.add({ conversationId, seq: orderOf(entry), entryId });
      },
      poll: () => this.#readQueued(this.#owned.numbers),
      failedMessage: 'could not read the send agenda',
    });
  }

  /** The tenure of the channel's partition under the given epoch. */
  tenure(channelId: string, epoch: number): ChannelTenure {
    const number = partitionOf('channel', channelId);
    const held = this.#owned.get(number);
    return held && held.epoch !== epoch ? this.#begin(epoch) : this.#owned.acquire(number, epoch);
  }

  async acquire(number: number, epoch: number): Promise<void> {
    // A repeated acquire, after a failed read, keeps the senders and their sends in flight.
    const tenure = this.#owned.acquire(number, epoch);
    this.#beginPeriodic();
    await this.#acquired.add(number);
    this.#mediaDownloads.poll();
    const channels = (await this.#channels.byPartition()).get(number) ?? [];
    // The partition was released meanwhile: its senders are closed, or belong to a later tenure.
    if (this.#owned.get(number) !== tenure) return;
    for (const channelId of channels) void tenure.of(channelId).readiness.probeAndReport();
  }

  /** Waits for sends in flight: a lost answer means 12 s in doubt, and perhaps a repeat. */
  drain(number: number): Promise<void> {
    return this.#owned.drain(number, DRAIN_MS);
  }

  release(number: number): void {
    this.#owned.release(number);
  }

  /** Claims a message that the conversation's owner in this process is about to insert. */
  claimOnInsert(entry: SentEntry): InsertClaim | null {
    const { channelId } = entry.send;
    const tenure = this.#owned.get(partitionOf('channel', channelId));
    return tenure?.find(channelId)?.claimOnInsert(entry) ?? null;
  }

  nudge(number: number, nudge: SendNudge): void {
    const sender = this.#owned.get(number)?.of(nudge.channelId);
    if (!sender) return;
    if (nudge.settled) sender.complete(nudge.conversationId, nudge.entryId);
    else sender.queues.offer(nudge, sender.firstContacts.passes(nudge.entry));
    sender.pump();
  }

  get inboundCalls(): InboundCalls {
    return this.#caches.inboundCalls;
  }

  /** Channels of this process whose number the network restricts now. */
  restricted(): number {
    return this.#owned.workers().filter(({ firstContacts }) => firstContacts.restricted).length;
  }

  /** Channels of this process whose webhooks fail verification. */
  refusedWebhooks(): readonly RefusedWebhooks[] {
    return this.#owned.workers().flatMap((sender) => refusedOf(sender) ?? []);
  }

  #begin(epoch: number): ChannelTenure {
    return new Tenure<ChannelSender>(epoch, (channelId) => this.#newSender(channelId, epoch));
  }

  #newSender(channelId: string, epoch: number): ChannelSender {
    const dispose = () =>
      this.#owned.get(partitionOf('channel', channelId))?.dispose(channelId, sender);
    const reports = reportsOf(this.#environment, () => sender, dispose);
    const channel = { id: channelId, epoch, caches: this.#caches, page: this.#page };
    const sender: ChannelSender = new ChannelSender(channel, this.#environment, reports);
    sender.onMediaDue = () => this.#mediaDownloads.poll();
    sender.onNeedsRefill = () => this.#due.pollSoon();
    this.#readBacks.attach(sender);
    this.#templateSync.attach(sender);
    sender.readiness.schedule();
    return sender;
  }

  #beginPeriodic(): void {
    if (this.#periodic) return;
    this.#periodic = true;
    const { leaseHeld } = this.#environment;
    runPeriodically(this.#environment, {
      firstMs: POLL_EVERY_MS,
      everyMs: () => (leaseHeld() ? SWEEP_EVERY_MS : POLL_EVERY_MS),
      failed: 'channel retention failed',
      run: () => this.#sweep(),
    });
    runPeriodically(this.#environment, {
      firstMs: PROBE_UNKNOWN_EVERY_MS,
      everyMs: () => PROBE_UNKNOWN_EVERY_MS,
      failed: 'probe of unknown channels failed',
      run: () => this.#probeUnknown(),
    });
  }

  /** Probes channels without a sender here: the notice to their owner may have been lost. */
  async #probeUnknown(): Promise<void> {
    if (!this.#environment.leaseHeld()) return;
    for (const [number, channels] of await this.#channels.byPartition()) {
      const tenure = this.#owned.get(number);
      if (!tenure) continue;
      for (const channelId of channels) {
        if (!tenure.find(channelId)) void tenure.of(channelId).readiness.probeAndReport();
      }
    }
  }

  #saturated(): readonly ChannelSender[] {
    return this.#owned.workers().filter((sender) => sender.isSaturated);
  }

  async #readQueued(numbers: readonly number[]): Promise<void> {
    const saturated = new Set(this.#saturated());
    const isHeld = this.#owned.tenuresNow();
    const ended = await this.#due.read(this.#due.pages(numbers));
    const senders = this.#owned.workers(numbers.filter(isHeld));
    const read = senders.filter((sender) => !saturated.has(sender));
    for (const sender of read) {
      sender.queues.hasAll = ended;
      sender.pump();
    }
    // One backlog filled the pages. Its channel is now saturated, so the next read finds others.
    if (!ended && read.some((sender) => sender.isSaturated)) this.#due.pollSoon();
  }

  /** Any process may sweep: expired records have no owner. */
  async #sweep(): Promise<void> {
    if (!this.#environment.leaseHeld()) return;
    await sweepUnmatchedReceipts(this.#environment);
    await sweepUploads(this.#environment);
    await sweepMedia(this.#environment);
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

/** List of all channels, read once for all partitions of a process. */
export class ChannelList {
  readonly #environment: Pick<Environment, 'store' | 'clock'>;
  #reading: Promise<ReadonlyMap<number, readonly string[]>> | null = null;

  constructor(environment: Pick<Environment, 'store' | 'clock'>) {
    this.#environment = environment;
  }

  /** Ids of the channels that have not been removed, by partition; at most a second old. */
  byPartition(): Promise<ReadonlyMap<number, readonly string[]>> {
    this.#reading ??= this.#read().finally(() => {
      this.#environment.clock.after(SHARED_MS, () => {
        this.#reading = null;
      });
    });
    return this.#reading;
  }

  async #read(): Promise<ReadonlyMap<number, readonly string[]>> {
    const project = { removed: 1, 'channels.id': 1, 'channels.removed': 1 } as const;
    const ids: string[] = [];
    for await (const page of organizationPages(this.#environment.store, project)) {
      const present = page.filter(({ removed }) => removed !== true);
      const channels = present.flatMap((organization) => organization.channels);
      ids.push(...channels.filter(({ removed }) => removed !== true).map(({ id }) => id));
    }
    return Map.groupBy(ids, (id) => partitionOf('channel', id));
  }
}

type SweepEnvironment = Pick<Environment, 'store' | 'clock' | 'media' | 'log'>;

/**
 * Retention of files that no entry names (D128): their send was refused after the download, or its
 * gateway or owner died in between. A file is removed an hour after its last request, and only if
 * its entry does not name it. A call that is repeated later under the same ids downloads anew.
 */
export async function sweepMedia({ store, media, clock, log }: SweepEnvironment): Promise<void> {
  const before = clock.now() - MEDIA_UNREFERENCED_KEPT_MS;
  const removed = await media.sweep(before, async ({ id, entryId }) => {
    const entry = await store.byId('entries', entryId);
    const { media, fallback } = entry?.message ?? {};
    if (media?.id === id || fallback?.media?.id === id) return 'named';
    return entry?.mediaDue ? 'waiting' : 'unnamed';
  });
  if (removed > 0) log.info({ removed }, 'files that no message names were removed');
}
