/**
 * Send agenda: the owner of a channel partition finds its queued messages in MongoDB.
 *
 * 1. A nudge may be lost and only saves time: the fallback poll finds the message within 5 s.
 * 2. The poll leaves out channels that hold enough messages, or hold some and cannot send now. The
 *    backlog of one channel hides no other.
 * 3. Memory holds the oldest messages of a long backlog; the store keeps the newer ones.
 * 4. The owner probes every channel of its partitions. A new channel whose notice was lost is
 *    probed within a minute.
 */
import type { ExistenceQuery, Filter, FindOptions } from '../../shared/ports/store.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { Environment } from '../environment.ts';
import { Batcher } from '../runtime/batcher.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { type ChannelCaches, createChannelCaches } from './channel-caches.ts';
import { ChannelList } from './channel-list.ts';
import { ChannelSender } from './channel-sender.ts';
import { ChannelSenders } from './channel-senders.ts';
import type { InsertClaim, SendClaimer, SentEntry } from './claim-on-insert.ts';
import type { SendNudge } from './commands.ts';
import { MediaDownloads } from './media-downloads.ts';
import { sweepMedia } from './media-sweep.ts';
import { ReadBacks } from './read-back.ts';
import { type RefusedWebhooks, refusedOf } from './refused-webhooks.ts';
import { reportsOf } from './reports.ts';
import { sweepUnmatchedReceipts } from './unmatched-receipts.ts';
import { sweepUploads } from './uploads.ts';

const POLL_SOON_MS = 20;
const PAGE = 1_000;
const PAGES_MAX = 10;
/** Within the 10 s that a process has for its whole shutdown. */
const DRAIN_MS = 3_000;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
/** The probe interval of a channel that can send. */
const PROBE_UNKNOWN_EVERY_MS = 60_000;

interface Partition {
  readonly epoch: number;
  readonly senders: ChannelSenders;
}

export class ChannelAgenda implements SendClaimer {
  readonly #environment: Environment;
  readonly #partitions = new Map<number, Partition>();
  readonly #mediaDownloads: MediaDownloads;
  readonly #caches: ChannelCaches;
  readonly #readBacks = new ReadBacks();
  readonly #channels: ChannelList;
  readonly #queuedReads = new Batcher((numbers: readonly number[]) => this.#readQueued(numbers));
  #periodic = false;
  #polling = false;
  #pollAgain = false;

  constructor(environment: Environment, duePoller: Pick<DuePoller, 'add'>) {
    this.#environment = environment;
    this.#caches = createChannelCaches(environment.clock);
    this.#channels = new ChannelList(environment);
    this.#mediaDownloads = new MediaDownloads(environment, {
      partitions: () => [...this.#partitions.keys()],
      configurationOf: async (channelId) => {
        const partition = this.#partitions.get(partitionOf('channel', channelId));
        return partition ? this.sender(channelId, partition.epoch).configuration() : null;
      },
    });
    duePoller.add({
      question: () => this.#mediaDownloads.question(),
      poll: () => this.#mediaDownloads.poll(),
    });
    duePoller.add({
      question: () => this.#queued(),
      poll: () => void this.#poll(),
    });
  }

  /** The senders of the channel's partition under the given epoch. */
  senders(channelId: string, epoch: number): ChannelSenders {
    const number = partitionOf('channel', channelId);
    const held = this.#partitions.get(number);
    if (held?.epoch === epoch) return held.senders;
    return (held ? this.#newPartition(epoch) : this.#begin(number, epoch)).senders;
  }

  sender(channelId: string, epoch: number): ChannelSender {
    return this.senders(channelId, epoch).of(channelId);
  }

  async acquire(number: number, epoch: number): Promise<void> {
    // A repeated acquire, after a failed read, keeps the senders and their sends in flight.
    if (this.#partitions.get(number)?.epoch !== epoch) {
      this.release(number);
      this.#begin(number, epoch);
    }
    const held = this.#partitions.get(number);
    this.#beginPeriodic();
    await this.#queuedReads.add(number);
    this.#mediaDownloads.poll();
    const channels = await this.#channels.ids();
    // The partition was released meanwhile: its senders are closed, or belong to a later tenure.
    if (this.#partitions.get(number) !== held) return;
    for (const channelId of channels) {
      if (partitionOf('channel', channelId) !== number) continue;
      void this.sender(channelId, epoch).readiness.probeAndReport();
    }
  }

  /** Waits for sends in flight: a lost answer means 12 s in doubt, and perhaps a repeat. */
  async drain(number: number): Promise<void> {
    await Promise.all(this.#sendersOf([number]).map((sender) => sender.drain(DRAIN_MS)));
  }

  release(number: number): void {
    for (const sender of this.#partitions.get(number)?.senders.values() ?? []) sender.close();
    this.#partitions.delete(number);
  }

  /** Claims a message that the conversation's owner in this process is about to insert. */
  claimOnInsert(entry: SentEntry): InsertClaim | null {
    const { channelId, partition } = entry.send;
    return this.#partitions.get(partition)?.senders.find(channelId)?.claimOnInsert(entry) ?? null;
  }

  nudge(number: number, nudge: SendNudge): void {
    const partition = this.#partitions.get(number);
    if (!partition) return;
    const sender = partition.senders.of(nudge.channelId);
    if (nudge.settled) sender.complete(nudge.conversationId, nudge.entryId);
    else sender.backlog.offer(nudge, sender.firstContacts.passes(nudge.entry));
    sender.pump();
  }

  /** Channels of this process whose number the network restricts now. */
  restricted(): number {
    const senders = this.#sendersOf([...this.#partitions.keys()]);
    return senders.filter(({ firstContacts }) => firstContacts.restricted).length;
  }

  /** Channels of this process whose webhooks fail verification. */
  refusedWebhooks(): readonly RefusedWebhooks[] {
    const senders = this.#sendersOf([...this.#partitions.keys()]);
    return senders.map(refusedOf).filter((refused) => refused !== null);
  }

  #begin(number: number, epoch: number): Partition {
    const partition = this.#newPartition(epoch);
    this.#partitions.set(number, partition);
    return partition;
  }

  #newPartition(epoch: number): Partition {
    return { epoch, senders: new ChannelSenders((channelId) => this.#newSender(channelId, epoch)) };
  }

  #newSender(channelId: string, epoch: number): ChannelSender {
    const dispose = () => this.#partitionOf(sender)?.senders.dispose(sender);
    const reports = reportsOf(this.#environment, () => sender, dispose);
    const sender: ChannelSender = new ChannelSender(
      { id: channelId, epoch, caches: this.#caches },
      this.#environment,
      reports,
    );
    sender.onMediaDue = () => this.#mediaDownloads.poll();
    sender.onNeedsRefill = () => this.#pollSoon();
    this.#readBacks.attach(sender);
    sender.readiness.begin();
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
    for (const channelId of await this.#channels.ids()) {
      const partition = this.#partitions.get(partitionOf('channel', channelId));
      if (!partition || partition.senders.find(channelId)) continue;
      void partition.senders.of(channelId).readiness.probeAndReport();
    }
  }

  #queued(): ExistenceQuery | null {
    const numbers = [...this.#partitions.keys()];
    if (numbers.length === 0) return null;
    return { collection: 'entries', filter: queuedIn(numbers, this.#saturated(numbers)) };
  }

  #saturated(numbers: readonly number[]): ReadonlySet<ChannelSender> {
    return new Set(this.#sendersOf(numbers).filter((sender) => sender.isSaturated));
  }

  #pollSoon(): void {
    this.#environment.clock.after(POLL_SOON_MS, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#pollAgain = true;
    if (this.#polling) return;
    this.#polling = true;
    try {
      while (this.#pollAgain && this.#partitions.size > 0 && this.#environment.leaseHeld()) {
        this.#pollAgain = false;
        await this.#readQueued([...this.#partitions.keys()]);
      }
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'could not read the send agenda');
    } finally {
      this.#polling = false;
    }
  }

  async #readQueued(numbers: readonly number[]): Promise<void> {
    const saturated = this.#saturated(numbers);
    // A page that was read under one tenure of a partition may be stale under the next.
    const held = new Map(numbers.map((number) => [number, this.#partitions.get(number)]));
    const isStill = (number: number) => held.get(number) === this.#partitions.get(number);
    const page = pageOf(queuedIn(numbers, saturated));
    let ended = false;
    for (let at = 0; at < PAGES_MAX && !ended; at++) {
      const entries = await this.#environment.store.find<EntryDocument>('entries', ...page(at));
      for (const entry of entries)
        if (entry.send && isStill(entry.send.partition)) this.#add(entry);
      ended = entries.length < PAGE;
    }
    const read = this.#sendersOf(numbers.filter(isStill)).filter(
      (sender) => !saturated.has(sender),
    );
    for (const sender of read) {
      sender.backlog.hasAll = ended;
      sender.pump();
    }
    // One backlog filled the pages. Its channel is now saturated, so the next read finds others.
    if (!ended && read.some((sender) => sender.isSaturated)) this.#pollSoon();
  }

  #add({ _id: entryId, conversationId, seq, send }: EntryDocument): void {
    const partition = send && this.#partitions.get(send.partition);
    if (!send || !partition) return;
    this.sender(send.channelId, partition.epoch).queues.add({ conversationId, seq, entryId });
  }

  #partitionOf({ channelId }: ChannelSender): Partition | undefined {
    return this.#partitions.get(partitionOf('channel', channelId));
  }

  #sendersOf(numbers: readonly number[]): ChannelSender[] {
    return numbers.flatMap((number) => [...(this.#partitions.get(number)?.senders.values() ?? [])]);
  }

  /** Any process may sweep: expired records have no owner. */
  async #sweep(): Promise<void> {
    if (!this.#environment.leaseHeld()) return;
    await sweepUnmatchedReceipts(this.#environment);
    await sweepUploads(this.#environment);
    await sweepMedia(this.#environment);
  }
}

/** Queued messages of the partitions, without the saturated channels. */
function queuedIn(numbers: readonly number[], saturated: ReadonlySet<ChannelSender>): Filter {
  const others = [...saturated].map(({ channelId }) => channelId);
  return {
    'send.partition': { $in: numbers },
    send: { $exists: true },
    ...(others.length > 0 ? { 'send.channelId': { $nin: others } } : {}),
  };
}

function pageOf(filter: Filter) {
  return (page: number): [Filter, FindOptions] => [
    filter,
    {
      sort: { 'send.at': 1, seq: 1 },
      ...(page > 0 ? { skip: page * PAGE } : {}),
      limit: PAGE,
      project: { conversationId: 1, seq: 1, 'send.channelId': 1, 'send.partition': 1 },
    },
  ];
}
