/**
 * Channels as the runtime sees them, and their agenda: queued messages, found again in MongoDB by
 * whoever owns the partition next. A nudge only makes it look earlier.
 */
import type { Readiness } from '../../shared/network.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { OrganizationDocument } from '../organization/documents.ts';
import type { Kind } from '../runtime/actor.ts';
import { describe } from '../runtime/mailbox.ts';
import { Together } from '../runtime/together.ts';
import type { World } from '../world.ts';
import { ChannelActor } from './actor.ts';
import type { SendNudge } from './commands.ts';
import { Desk } from './desk.ts';
import { Desks } from './desks.ts';
import { sweepEarlyReceipts } from './early-receipts.ts';
import { insistOnReadiness } from './insist.ts';
import { MediaArrivals } from './media-arrivals.ts';
import { sweepUploads } from './transmit.ts';

/** The oldest so many are kept in mind; the rest is read when they are gone. */
const AGENDA_PAGE = 20_000;
const OLDEST = 200;
/** Nudges from other processes may be lost. */
const LOOK_AGAIN_MS = 5_000;
const SWEEP_EVERY_MS = 60 * 60 * 1000;

interface Partition {
  readonly epoch: number;
  readonly desks: Desks;
  /** False while the agenda holds more than a page: then nudges are ignored, to keep order. */
  complete: boolean;
}

export function channelKind(world: World): Kind {
  const agenda = new ChannelAgenda(world);
  return {
    kind: 'channel',
    open: (key, epoch) => new ChannelActor(key, agenda.desks(key, epoch)),
    take: (partition, epoch) => agenda.take(partition, epoch),
    giveUp: (partition) => agenda.giveUp(partition),
    nudge: (partition, payload) => agenda.nudge(partition, payload as SendNudge),
  };
}

class ChannelAgenda {
  readonly #world: World;
  readonly #partitions = new Map<number, Partition>();
  readonly #arrivals: MediaArrivals;
  readonly #taken = new Together((numbers: readonly number[]) => this.#readTaken(numbers));
  #channelIds: Promise<readonly string[]> | null = null;
  #cancelLook: (() => void) | null = null;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
    this.#arrivals = new MediaArrivals(world, {
      partitions: () => [...this.#partitions.keys()],
      configure: async (channelId) => {
        const partition = this.#partitions.get(partitionOf('channel', channelId));
        return partition ? this.desk(channelId, partition.epoch).configuration() : null;
      },
    });
  }

  /** Those of the channel's partition. */
  desks(channelId: string, epoch: number): Desks {
    const number = partitionOf('channel', channelId);
    return (this.#partitions.get(number) ?? this.#begin(number, epoch)).desks;
  }

  desk(channelId: string, epoch: number): Desk {
    return this.desks(channelId, epoch).of(channelId);
  }

  async take(number: number, epoch: number): Promise<void> {
    if (!this.#partitions.has(number)) this.#begin(number, epoch);
    await this.#taken.with(number);
    this.#arrivals.look();
    this.#cancelLook ??= this.#world.clock.after(LOOK_AGAIN_MS, () => void this.#lookAgain());
    for (const channelId of await this.#channels()) {
      if (partitionOf('channel', channelId) !== number) continue;
      void this.desk(channelId, epoch).lookAndReport();
    }
  }

  giveUp(number: number): void {
    for (const desk of this.#partitions.get(number)?.desks.values() ?? []) desk.close();
    this.#partitions.delete(number);
  }

  nudge(number: number, nudge: SendNudge): void {
    const partition = this.#partitions.get(number);
    if (!partition) return;
    const desk = this.desk(nudge.channelId, partition.epoch);
    if (nudge.settled) desk.settle(nudge.conversationId, nudge.entryId);
    else if (partition.complete) desk.lanes.add(nudge);
    desk.pump();
  }

  #begin(number: number, epoch: number): Partition {
    const desks = new Desks((channelId) => this.#newDesk(channelId, epoch));
    const partition: Partition = { epoch, desks, complete: false };
    this.#partitions.set(number, partition);
    return partition;
  }

  #newDesk(channelId: string, epoch: number): Desk {
    const report = (readiness: Readiness): Promise<void> => this.#report(desk, readiness);
    const desk: Desk = new Desk({ id: channelId, epoch }, this.#world, report);
    desk.onMedia = () => this.#arrivals.look();
    return desk;
  }

  /** Little is read at once; of much, each partition gets a page of its own. */
  async #readTaken(numbers: readonly number[]): Promise<void> {
    if (await this.#readAgenda(numbers, AGENDA_PAGE)) return;
    await Promise.all(numbers.map((number) => this.#readAgenda([number], AGENDA_PAGE)));
  }

  /** Whether that was all. */
  async #readAgenda(numbers: readonly number[], limit: number): Promise<boolean> {
    const entries = await this.#world.store.find<EntryDocument>(
      'entries',
      { 'send.partition': { $in: numbers }, send: { $exists: true } },
      {
        sort: { 'send.at': 1, seq: 1 },
        limit,
        project: { conversationId: 1, seq: 1, 'send.channelId': 1, 'send.partition': 1 },
      },
    );
    for (const { _id, conversationId, seq, send } of entries) {
      const partition = send && this.#partitions.get(send.partition);
      if (!send || !partition) continue;
      const desk = this.desk(send.channelId, partition.epoch);
      desk.lanes.add({ conversationId, seq, entryId: _id });
    }
    for (const number of numbers) {
      const partition = this.#partitions.get(number);
      if (!partition) continue;
      if (limit === AGENDA_PAGE) partition.complete = entries.length < limit;
      for (const desk of partition.desks.values()) desk.pump();
    }
    return entries.length < limit;
  }

  async #lookAgain(): Promise<void> {
    try {
      this.#arrivals.look();
      await this.#sweep();
      const numbers = [...this.#partitions.keys()];
      if (numbers.length > 0 && this.#world.alive()) await this.#catchUp(numbers);
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'could not read the send agenda');
    }
    this.#cancelLook = this.#world.clock.after(LOOK_AGAIN_MS, () => void this.#lookAgain());
  }

  /** Any process may: what is swept is nobody's any more. */
  async #sweep(): Promise<void> {
    const now = this.#world.clock.monotonic();
    if (now - this.#sweptAt < SWEEP_EVERY_MS || !this.#world.alive()) return;
    this.#sweptAt = now;
    await sweepEarlyReceipts(this.#world);
    await sweepUploads(this.#world);
  }

  /** Nudges may be lost: the oldest are looked at again; a page that is used up is followed. */
  async #catchUp(numbers: readonly number[]): Promise<void> {
    const incomplete = numbers.filter((number) => this.#partitions.get(number)?.complete === false);
    const used = incomplete.filter((number) => this.#queuedIn(number) < AGENDA_PAGE / 4);
    if (used.length > 0) await this.#readAgenda(used, AGENDA_PAGE);
    const complete = numbers.filter((number) => this.#partitions.get(number)?.complete === true);
    if (complete.length > 0) await this.#readAgenda(complete, OLDEST);
  }

  #queuedIn(number: number): number {
    let queued = 0;
    for (const desk of this.#partitions.get(number)?.desks.values() ?? []) {
      queued += desk.lanes.size;
    }
    return queued;
  }

  /** All partitions of a process are taken at the same moment: one read serves them. */
  #channels(): Promise<readonly string[]> {
    this.#channelIds ??= this.#world.store
      .find<OrganizationDocument>('organizations', {}, { project: { 'channels.id': 1 } })
      .then((found) => found.flatMap((each) => each.channels.map((channel) => channel.id)))
      .finally(() => {
        this.#world.clock.after(1_000, () => {
          this.#channelIds = null;
        });
      });
    return this.#channelIds;
  }

  async #report(desk: Desk, readiness: Readiness): Promise<void> {
    const configuration = await desk.configuration();
    if (!configuration || readiness.ready === 'unknown' || desk.closed) return;
    await insistOnReadiness(this.#world, {
      orgId: configuration.orgId,
      channelId: desk.channelId,
      ready: readiness.ready,
      reason: readiness.ready ? null : readiness.reason,
    });
  }
}
