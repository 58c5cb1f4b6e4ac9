/**
 * Read-back of one channel: after an absence, what the network missed to tell is asked for (D150).
 *
 * 1. The journal holds a moment before which everything was taken. It moves on with webhooks, at
 *    most once a minute, and with each read-back that ends.
 * 2. From the begin of an absence (a new owner, a session that left, a bridge without an answer)
 *    until a read-back has ended, the journal stands still: a failed read-back begins there again.
 * 3. One read-back of a channel runs at a time, a few of a process. It runs beside webhooks and
 *    sends; ids derived from the network's make a message that both bring one message.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { NetworkEvent, Readiness } from '../../shared/network.ts';
import type { Document } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import { OrganizationTurns } from '../runtime/organization-turns.ts';
import type { ChannelConfiguration } from './configuration.ts';
import type { Desk } from './desk.ts';
import { takeEvents } from './webhook.ts';

const NOTED_EVERY_MS = 60_000;
/** Webhooks that failed are repeated for a while: newer ones may have been taken before them. */
const OVERLAP_MS = 5 * 60_000;
const SINCE_MAX_MS = 24 * 60 * 60 * 1000;
/** A person who wrote so long ago does not expect an automatic answer any more. */
const FLOWS_BEGIN_WITHIN_MS = 15 * 60_000;
/** Taken within one deadline. */
const BATCH = 100;
const EVENTS_MAX = 20_000;
const LASTS_MAX_MS = 10 * 60_000;
const AT_ONCE = 4;

interface ReadBackDocument extends Document {
  /** Epoch milliseconds before which everything was taken. */
  readonly upTo: number;
}

type Driver = ReturnType<Desk['world']['networks']['driver']>;
type Read = NonNullable<Driver['readSince']>;

export class ReadBacks {
  readonly #turns = new OrganizationTurns({ perOrganization: AT_ONCE, perProcess: AT_ONCE });

  /** Reads back for the desk, whenever it returns from an absence. */
  attend(desk: Desk): void {
    const readBack = new ReadBack(desk, this.#turns);
    desk.readiness.onHeard = (readiness) => readBack.heard(readiness);
    desk.onTaken = () => readBack.taken();
  }
}

class ReadBack {
  readonly #desk: Desk;
  readonly #turns: OrganizationTurns;
  /** Absences that have begun; that of a new owner is the first. */
  #absences = 1;
  #readBackOf = 0;
  #underWay = false;
  #notedAt = Number.NEGATIVE_INFINITY;

  constructor(desk: Desk, turns: OrganizationTurns) {
    this.#desk = desk;
    this.#turns = turns;
  }

  get #isOwed(): boolean {
    return this.#readBackOf < this.#absences;
  }

  /** The network's word on its readiness; each probe brings it anew. */
  heard({ ready }: Readiness): void {
    if (ready !== true) {
      if (!this.#isOwed || this.#underWay) this.#absences++;
      return;
    }
    if (!this.#isOwed || this.#underWay) return;
    this.#underWay = true;
    this.#run()
      .catch((fault: unknown) => {
        const { channelId, world } = this.#desk;
        world.log.warn({ channelId, error: describe(fault) }, 'read-back failed');
      })
      .finally(() => {
        this.#underWay = false;
      });
  }

  /** Events of a webhook were committed. */
  taken(): void {
    const { clock, log } = this.#desk.world;
    if (this.#isOwed || clock.monotonic() - this.#notedAt < NOTED_EVERY_MS) return;
    this.#note(clock.now()).catch((fault: unknown) => {
      const { channelId } = this.#desk;
      log.warn({ channelId, error: describe(fault) }, 'could not note what was taken');
    });
  }

  async #run(): Promise<void> {
    const configuration = await this.#desk.configuration();
    if (!configuration) return;
    const driver = this.#desk.world.networks.driver(configuration.network.provider);
    const read = driver.readSince?.bind(driver);
    // Owed for ever where nothing can be read: then nothing is noted either.
    if (!read) return;
    await this.#turns.take(configuration.orgId, () => this.#readFrom(configuration, read));
  }

  async #readFrom(configuration: ChannelConfiguration, read: Read): Promise<void> {
    const { channelId, world } = this.#desk;
    const absence = this.#absences;
    const beganAt = world.clock.now();
    const noted = await world.store.byId<ReadBackDocument>('readBacks', channelId);
    if (noted) {
      const since = Math.max(noted.upTo - OVERLAP_MS, beganAt - SINCE_MAX_MS);
      if (!(await this.#take(configuration, read(configuration.network, since)))) return;
    }
    this.#readBackOf = absence;
    await this.#note(beganAt);
  }

  /** False when another owner has to do it. */
  async #take(
    configuration: ChannelConfiguration,
    pages: AsyncIterable<readonly NetworkEvent[]>,
  ): Promise<boolean> {
    const { channelId, world } = this.#desk;
    const until = world.clock.monotonic() + LASTS_MAX_MS;
    let events = 0;
    for await (const page of pages) {
      for (let from = 0; from < page.length; from += BATCH) {
        if (this.#desk.closed || !world.leaseHeld()) return false;
        await this.#takeBatch(configuration, page.slice(from, from + BATCH));
      }
      events += page.length;
      if (events >= EVENTS_MAX || world.clock.monotonic() >= until) {
        world.log.warn({ channelId, events }, 'read-back cut short');
        break;
      }
    }
    if (events > 0) world.log.info({ channelId, events }, 'read back');
    return !this.#desk.closed;
  }

  async #takeBatch(
    configuration: ChannelConfiguration,
    batch: readonly NetworkEvent[],
  ): Promise<void> {
    const now = this.#desk.world.clock.now();
    const deadline = now + ASK_DEADLINE_MS;
    const flowsSince = now - FLOWS_BEGIN_WITHIN_MS;
    const taken = await takeEvents(this.#desk, configuration, {
      events: batch,
      flowsSince,
      deadline,
    });
    if (!taken) throw new Error('an event was not taken');
  }

  async #note(upTo: number): Promise<void> {
    const { channelId, world } = this.#desk;
    this.#notedAt = world.clock.monotonic();
    await world.store.commit(
      [
        {
          update: 'readBacks',
          filter: { _id: channelId },
          change: { $max: { upTo } },
          upsert: true,
        },
      ],
      { deferrable: true },
    );
  }
}
