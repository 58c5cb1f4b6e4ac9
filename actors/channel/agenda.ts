/**
 * Agenda of the channels of the partitions that this process owns.
 *
 * 1. A nudge may be lost and only saves time: the fallback poll finds the message within 5 s.
 * 2. The owner probes every channel of its partitions. A new channel whose notice was lost is
 *    probed within a minute.
 */
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { SendNudge } from '../model/channel.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import { OwnedPartitions, Tenure } from '../runtime/owned-partitions.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { Channel, type ChannelLinks, type ChannelOptions } from './channel.ts';
import { type ChannelCaches, createChannelCaches } from './channel-caches.ts';
import { ChannelList } from './channel-list.ts';
import { QueuedSends } from './queued-sends.ts';
import { OWN_NUMBER } from './readiness/readiness-state.ts';
import { reportsOf } from './readiness/reports.ts';
import { type SyncedChannel, TemplateSync } from './readiness/template-sync.ts';
import type { InboundCalls } from './receiving/inbound-calls.ts';
import { MediaDownloads } from './receiving/media-downloads.ts';
import { ReadBacks, type ReadChannel } from './receiving/read-back.ts';
import type { ReceivingChannel } from './receiving/receiving-channel.ts';
import { sweepPeriodically } from './retention.ts';
import { BACKLOG_PAGE } from './sending/backlog.ts';
import type { InsertClaim, SendClaimer, SentEntry } from './sending/claim-on-insert.ts';

/** Within the 10 s that a process has for its whole shutdown. */
const DRAIN_MS = 3_000;
/** The probe interval of a channel that can send. */
const PROBE_UNKNOWN_EVERY_MS = 60_000;

export class ChannelAgenda implements SendClaimer {
  readonly #environment: Environment;
  readonly #caches: ChannelCaches;
  readonly #owned: OwnedPartitions<Channel>;
  readonly #queued: QueuedSends;
  readonly #mediaDownloads: MediaDownloads;
  readonly #channels: ChannelList;
  readonly #begin: (epoch: number) => Tenure<Channel>;
  #periodic = false;

  /** @param page messages of one read of a backlog; a test needs no backlog of thousands */
  constructor(environment: Environment, duePoller: Pick<DuePoller, 'add'>, page = BACKLOG_PAGE) {
    this.#environment = environment;
    this.#caches = createChannelCaches(environment.clock);
    this.#channels = new ChannelList(environment);
    const readBacks = new ReadBacks();
    const templateSync = new TemplateSync(environment);
    const links = {
      onNeedsRefill: () => this.#queued.pollSoon(),
      onMediaDue: () => this.#mediaDownloads.poll(),
      templatesOf: (channel: SyncedChannel) => templateSync.of(channel),
      readBackOf: (channel: ReadChannel) => readBacks.of(channel),
    };
    this.#begin = (epoch) =>
      new Tenure<Channel>(epoch, (id) => this.#open({ id, epoch, page }, links));
    this.#owned = new OwnedPartitions<Channel>(this.#begin);
    this.#queued = new QueuedSends(environment, { duePoller, owned: this.#owned, page });
    const known = (id: string) => this.#owned.get(partitionOf('channel', id))?.find(id);
    this.#mediaDownloads = new MediaDownloads(environment, duePoller, {
      owned: this.#owned,
      configurationOf: async (channelId) => {
        const tenure = this.#owned.get(partitionOf('channel', channelId));
        return tenure ? tenure.of(channelId).configuration() : null;
      },
      numberOf: (channelId) => known(channelId)?.readiness.number ?? OWN_NUMBER,
    });
  }

  /** The tenure of the channel's partition under the given epoch. */
  tenure(channelId: string, epoch: number): Tenure<Channel> {
    const number = partitionOf('channel', channelId);
    const held = this.#owned.get(number);
    return held && held.epoch !== epoch ? this.#begin(epoch) : this.#owned.acquire(number, epoch);
  }

  async acquire(number: number, epoch: number): Promise<void> {
    // A repeated acquire, after a failed read, keeps the channels and their sends in flight.
    const tenure = this.#owned.acquire(number, epoch);
    this.#beginPeriodic();
    await this.#queued.readAcquired(number);
    this.#mediaDownloads.poll();
    const channels = (await this.#channels.byPartition()).get(number) ?? [];
    // The partition was released meanwhile: its channels are closed, or belong to a later tenure.
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
    return tenure?.find(channelId)?.sender.claimOnInsert(entry) ?? null;
  }

  nudge(number: number, nudge: SendNudge): void {
    this.#owned.get(number)?.of(nudge.channelId).sender.take(nudge);
  }

  get inboundCalls(): InboundCalls {
    return this.#caches.inboundCalls;
  }

  /** Channels of this process whose number the network restricts now. */
  restricted(): number {
    return this.#owned.workers().filter(({ sender }) => sender.restrictions.restricted).length;
  }

  /** Channels of this process, as their networks post to them. */
  receiving(): readonly ReceivingChannel[] {
    return this.#owned.workers().map(({ receiving }) => receiving);
  }

  #open(options: ChannelOptions, links: Omit<ChannelLinks, 'reports'>): Channel {
    const { id: channelId } = options;
    const reports = reportsOf(this.#environment, {
      channelId,
      isClosed: () => channel.closed,
      configuration: () => channel.configuration(),
      onUnknown: () =>
        this.#owned.get(partitionOf('channel', channelId))?.dispose(channelId, channel),
    });
    const known = { ...options, caches: this.#caches };
    const channel: Channel = new Channel(known, this.#environment, { ...links, reports });
    channel.readiness.schedule();
    return channel;
  }

  #beginPeriodic(): void {
    if (this.#periodic) return;
    this.#periodic = true;
    sweepPeriodically(this.#environment);
    runPeriodically(this.#environment, {
      firstMs: PROBE_UNKNOWN_EVERY_MS,
      everyMs: () => PROBE_UNKNOWN_EVERY_MS,
      failed: 'probe of unknown channels failed',
      run: async () => {
        if (this.#environment.leaseHeld()) await probeUnknown(this.#channels, this.#owned);
      },
    });
  }
}

/** Probes channels that are not open here: the notice to their owner may have been lost. */
async function probeUnknown(channels: ChannelList, owned: OwnedPartitions<Channel>): Promise<void> {
  for (const [number, ids] of await channels.byPartition()) {
    const tenure = owned.get(number);
    if (!tenure) continue;
    for (const id of ids) if (!tenure.find(id)) void tenure.of(id).readiness.probeAndReport();
  }
}
