/**
 * The agenda of channels: queued messages, found again in MongoDB by whoever owns the partition
 * next.
 *
 * 1. A nudge may be lost, it only makes it look earlier: every 5 s it looks for what waits.
 * 2. A channel with enough in hand, or that cannot send now, is left out of it: the backlog of one
 *    hides nobody else's.
 * 3. Of a long backlog the oldest are in hand: what is queued meanwhile waits its turn in the
 *    store.
 * 4. Every channel of an owned partition is probed: a minute later also one that was added and of
 *    which the owner was never told.
 */
import type { Filter, FindOptions, Question } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import { Batcher } from '../runtime/batcher.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { describe } from '../runtime/mailbox.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import type { World } from '../world.ts';
import { ChannelList } from './channel-list.ts';
import type { SendNudge } from './commands.ts';
import { Desk } from './desk.ts';
import { Desks } from './desks.ts';
import { sweepEarlyReceipts } from './early-receipts.ts';
import { MediaArrivals } from './media-arrivals.ts';
import { sweepMedia } from './media-sweep.ts';
import { ReadBacks } from './read-back.ts';
import { type RefusedWebhooks, refusedOf } from './refused-webhooks.ts';
import { reportsOf } from './reports.ts';
import type { Reservation, SendReservations, SentEntry } from './reservation.ts';
import { nothingSeen, type Seen } from './seen.ts';
import { sweepUploads } from './uploads.ts';

const LOOK_SOON_MS = 20;
const PAGE = 1_000;
const PAGES_MAX = 10;
/** A process that ends has 10 s for everything. */
const REST_MS = 3_000;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
/** As often as a channel that can send is probed. */
const ROLL_CALL_EVERY_MS = 60_000;

interface Partition {
  readonly epoch: number;
  readonly desks: Desks;
}

export class ChannelAgenda implements SendReservations {
  readonly #world: World;
  readonly #partitions = new Map<number, Partition>();
  readonly #arrivals: MediaArrivals;
  readonly #seen: Seen;
  readonly #readBacks = new ReadBacks();
  readonly #channels: ChannelList;
  readonly #taken = new Batcher((numbers: readonly number[]) => this.#readQueued(numbers));
  #periodic = false;
  #looking = false;
  #lookAgain = false;

  constructor(world: World, duePoller: Pick<DuePoller, 'add'>) {
    this.#world = world;
    this.#seen = nothingSeen(world.clock);
    this.#channels = new ChannelList(world);
    this.#arrivals = new MediaArrivals(world, {
      partitions: () => [...this.#partitions.keys()],
      configure: async (channelId) => {
        const partition = this.#partitions.get(partitionOf('channel', channelId));
        return partition ? this.desk(channelId, partition.epoch).configuration() : null;
      },
    });
    duePoller.add({
      question: () => this.#arrivals.question(),
      poll: () => this.#arrivals.look(),
    });
    duePoller.add({
      question: () => this.#queued(),
      poll: () => void this.#look(),
    });
  }

  /** The desks of the channel's partition under the given epoch. */
  desks(channelId: string, epoch: number): Desks {
    const number = partitionOf('channel', channelId);
    const held = this.#partitions.get(number);
    if (held?.epoch === epoch) return held.desks;
    return (held ? this.#newPartition(epoch) : this.#begin(number, epoch)).desks;
  }

  desk(channelId: string, epoch: number): Desk {
    return this.desks(channelId, epoch).of(channelId);
  }

  async take(number: number, epoch: number): Promise<void> {
    // Asked again, after a read that failed: what is under way goes on.
    if (this.#partitions.get(number)?.epoch !== epoch) {
      this.giveUp(number);
      this.#begin(number, epoch);
    }
    const held = this.#partitions.get(number);
    this.#beginPeriodic();
    await this.#taken.add(number);
    this.#arrivals.look();
    const channels = await this.#channels.ids();
    // Given up meanwhile, a partition has no desks any more, and its next time has its own.
    if (this.#partitions.get(number) !== held) return;
    for (const channelId of channels) {
      if (partitionOf('channel', channelId) !== number) continue;
      void this.desk(channelId, epoch).readiness.lookAndReport();
    }
  }

  /**
   * Ends what is under way, if the network answers soon: whose answer is lost is in doubt for 12 s,
   * and may be sent again.
   */
  async rest(number: number): Promise<void> {
    await Promise.all(this.#desksOf([number]).map((desk) => desk.rest(REST_MS)));
  }

  giveUp(number: number): void {
    for (const desk of this.#partitions.get(number)?.desks.values() ?? []) desk.close();
    this.#partitions.delete(number);
  }

  /** A message that is about to be recorded: by whoever owns its conversation, in this process. */
  reserve(entry: SentEntry): Reservation | null {
    const { channelId, partition } = entry.send;
    return this.#partitions.get(partition)?.desks.find(channelId)?.reserve(entry) ?? null;
  }

  nudge(number: number, nudge: SendNudge): void {
    const partition = this.#partitions.get(number);
    if (!partition) return;
    const desk = partition.desks.of(nudge.channelId);
    if (nudge.settled) desk.settle(nudge.conversationId, nudge.entryId);
    else desk.backlog.offer(nudge, desk.firstContacts.passes(nudge.entry));
    desk.pump();
  }

  /** Channels here whose number the network restricts now. */
  restricted(): number {
    const desks = this.#desksOf([...this.#partitions.keys()]);
    return desks.filter(({ firstContacts }) => firstContacts.restricted).length;
  }

  /** Channels here whose webhooks fail their check. */
  refusedWebhooks(): readonly RefusedWebhooks[] {
    const desks = this.#desksOf([...this.#partitions.keys()]);
    return desks.map(refusedOf).filter((refused) => refused !== null);
  }

  #begin(number: number, epoch: number): Partition {
    const partition = this.#newPartition(epoch);
    this.#partitions.set(number, partition);
    return partition;
  }

  #newPartition(epoch: number): Partition {
    return { epoch, desks: new Desks((channelId) => this.#newDesk(channelId, epoch)) };
  }

  #newDesk(channelId: string, epoch: number): Desk {
    const letGo = () => this.#partitionOf(desk)?.desks.letGo(desk);
    const reports = reportsOf(this.#world, () => desk, letGo);
    const desk: Desk = new Desk({ id: channelId, epoch, seen: this.#seen }, this.#world, reports);
    desk.onMedia = () => this.#arrivals.look();
    desk.onHungry = () => this.#lookSoon();
    this.#readBacks.attend(desk);
    desk.readiness.begin();
    return desk;
  }

  #beginPeriodic(): void {
    if (this.#periodic) return;
    this.#periodic = true;
    const { leaseHeld } = this.#world;
    runPeriodically(this.#world, {
      firstMs: POLL_EVERY_MS,
      everyMs: () => (leaseHeld() ? SWEEP_EVERY_MS : POLL_EVERY_MS),
      failed: 'sweep of what channels kept failed',
      run: () => this.#sweep(),
    });
    runPeriodically(this.#world, {
      firstMs: ROLL_CALL_EVERY_MS,
      everyMs: () => ROLL_CALL_EVERY_MS,
      failed: 'roll call of the channels failed',
      run: () => this.#callRoll(),
    });
  }

  /** Probes channels that have no desk here: their owner may not have been told of them. */
  async #callRoll(): Promise<void> {
    if (!this.#world.leaseHeld()) return;
    for (const channelId of await this.#channels.ids()) {
      const partition = this.#partitions.get(partitionOf('channel', channelId));
      if (!partition || partition.desks.find(channelId)) continue;
      void partition.desks.of(channelId).readiness.lookAndReport();
    }
  }

  #queued(): Question | null {
    const numbers = [...this.#partitions.keys()];
    if (numbers.length === 0) return null;
    return { collection: 'entries', filter: queuedIn(numbers, this.#leftOut(numbers)) };
  }

  #leftOut(numbers: readonly number[]): ReadonlySet<Desk> {
    return new Set(this.#desksOf(numbers).filter((desk) => desk.wantsNone));
  }

  #lookSoon(): void {
    this.#world.clock.after(LOOK_SOON_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#lookAgain = true;
    if (this.#looking) return;
    this.#looking = true;
    try {
      while (this.#lookAgain && this.#partitions.size > 0 && this.#world.leaseHeld()) {
        this.#lookAgain = false;
        await this.#readQueued([...this.#partitions.keys()]);
      }
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'could not read the send agenda');
    } finally {
      this.#looking = false;
    }
  }

  async #readQueued(numbers: readonly number[]): Promise<void> {
    const leftOut = this.#leftOut(numbers);
    // A page that is read for one time of holding a partition may be old in the next.
    const held = new Map(numbers.map((number) => [number, this.#partitions.get(number)]));
    const isStill = (number: number) => held.get(number) === this.#partitions.get(number);
    const page = pageOf(queuedIn(numbers, leftOut));
    let ended = false;
    for (let at = 0; at < PAGES_MAX && !ended; at++) {
      const entries = await this.#world.store.find<EntryDocument>('entries', ...page(at));
      for (const entry of entries)
        if (entry.send && isStill(entry.send.partition)) this.#add(entry);
      ended = entries.length < PAGE;
    }
    const seen = this.#desksOf(numbers.filter(isStill)).filter((desk) => !leftOut.has(desk));
    for (const desk of seen) {
      desk.backlog.hasAll = ended;
      desk.pump();
    }
    // Somebody's backlog filled the pages: now that it is in hand, the others are looked at.
    if (!ended && seen.some((desk) => desk.wantsNone)) this.#lookSoon();
  }

  #add({ _id: entryId, conversationId, seq, send }: EntryDocument): void {
    const partition = send && this.#partitions.get(send.partition);
    if (!send || !partition) return;
    this.desk(send.channelId, partition.epoch).lanes.add({ conversationId, seq, entryId });
  }

  #partitionOf({ channelId }: Desk): Partition | undefined {
    return this.#partitions.get(partitionOf('channel', channelId));
  }

  #desksOf(numbers: readonly number[]): Desk[] {
    return numbers.flatMap((number) => [...(this.#partitions.get(number)?.desks.values() ?? [])]);
  }

  /** Any process may: what is swept is nobody's any more. */
  async #sweep(): Promise<void> {
    if (!this.#world.leaseHeld()) return;
    await sweepEarlyReceipts(this.#world);
    await sweepUploads(this.#world);
    await sweepMedia(this.#world);
  }
}

/** What waits in the partitions but for some channels. */
function queuedIn(numbers: readonly number[], leftOut: ReadonlySet<Desk>): Filter {
  const others = [...leftOut].map(({ channelId }) => channelId);
  return {
    'send.partition': { $in: numbers },
    send: { $exists: true },
    ...(others.length > 0 ? { 'send.channelId': { $nin: others } } : {}),
  };
}

/** Page by page, oldest first. */
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
