/**
 * Read-back of one channel: after an absence it asks the network for events that were not delivered
 * (D150).
 *
 * 1. The store keeps the time before which all events are committed. Webhooks advance it, at most
 *    once a minute, and so does each completed read-back.
 * 2. An absence begins with a new owner, a session that left, or a bridge without an answer. The
 *    time does not advance until a read-back completes: a failed one starts there again.
 * 3. A channel runs one read-back at a time, a process a few. Read-backs run concurrently with
 *    webhooks and sends. Message ids derive from the network's: a message that both deliver is one
 *    message.
 */

import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import type { NetworkDriver } from '../../../shared/ports/network.ts';
import type { NetworkEvent, Readiness } from '../../../shared/ports/network-event.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { OrganizationScheduler } from '../../runtime/organization-scheduler.ts';
import type { ChannelConfiguration, ChannelEnvironment } from '../readiness/configuration.ts';
import type { EventBatch } from './webhook.ts';

const SAVE_EVERY_MS = 60_000;
/** Failed webhooks are repeated for a while: newer ones may be committed before them. */
const OVERLAP_MS = 5 * 60_000;
const SINCE_MAX_MS = 24 * 60 * 60 * 1000;
/** Number of events that are committed within one deadline. */
const BATCH = 100;
/** A longer read-back is cut short, with a warning. */
const EVENTS_MAX = 20_000;
const DURATION_MAX_MS = 10 * 60_000;
const READ_BACKS = { perOrganization: 4, perProcess: 4 };

type Read = NonNullable<NetworkDriver['readSince']>;

export interface ReadChannel {
  readonly channelId: string;
  readonly environment: ChannelEnvironment;
  readonly configuration: () => Promise<ChannelConfiguration | null>;
  readonly isClosed: () => boolean;
  /** False: an event was not committed. */
  readonly submit: (configuration: ChannelConfiguration, batch: EventBatch) => Promise<boolean>;
}

export class ReadBacks {
  readonly #scheduler = new OrganizationScheduler(READ_BACKS);

  /** The read-backs of a channel, after each of its absences. */
  of(channel: ReadChannel): ReadBack {
    return new ReadBack(channel, this.#scheduler);
  }
}

export class ReadBack {
  readonly #channel: ReadChannel;
  readonly #scheduler: OrganizationScheduler;
  /** Absences so far; the first is that of a new owner. */
  #absences = 1;
  #readBackOf = 0;
  #running = false;
  #savedAt = Number.NEGATIVE_INFINITY;

  constructor(channel: ReadChannel, scheduler: OrganizationScheduler) {
    this.#channel = channel;
    this.#scheduler = scheduler;
  }

  get #isPending(): boolean {
    return this.#readBackOf < this.#absences;
  }

  /** The network's readiness; each probe reports it again. */
  onReadiness({ ready }: Readiness): void {
    if (ready !== true) {
      if (!this.#isPending || this.#running) this.#absences++;
      return;
    }
    if (!this.#isPending || this.#running) return;
    this.#running = true;
    this.#run()
      .catch((fault: unknown) => {
        const { channelId, environment } = this.#channel;
        environment.log.warn({ channelId, error: describe(fault) }, 'read-back failed');
      })
      .finally(() => {
        this.#running = false;
      });
  }

  /** Saves the time of a webhook's commit, at most once a minute. */
  onEventsCommitted(): void {
    const { clock, log } = this.#channel.environment;
    if (this.#isPending || clock.monotonic() - this.#savedAt < SAVE_EVERY_MS) return;
    this.#save(clock.now()).catch((fault: unknown) => {
      const { channelId } = this.#channel;
      log.warn({ channelId, error: describe(fault) }, 'read-back progress not recorded');
    });
  }

  async #run(): Promise<void> {
    const configuration = await this.#channel.configuration();
    if (!configuration) return;
    const driver = this.#channel.environment.networks.driver(configuration.network.provider);
    const read = driver.readSince?.bind(driver);
    // Without `readSince` the read-back stays pending, so no time is ever saved.
    if (!read) return;
    await this.#scheduler.schedule(configuration.orgId, () => this.#readFrom(configuration, read));
  }

  async #readFrom(configuration: ChannelConfiguration, read: Read): Promise<void> {
    const { channelId, environment } = this.#channel;
    const absence = this.#absences;
    const beganAt = environment.clock.now();
    const saved = await environment.store.byId('readBacks', channelId);
    if (saved) {
      const since = Math.max(saved.upTo - OVERLAP_MS, beganAt - SINCE_MAX_MS);
      if (!(await this.#submitPages(configuration, read(configuration.network, since)))) return;
    }
    this.#readBackOf = absence;
    await this.#save(beganAt);
  }

  /** False when the tenure has ended: the next owner reads back. */
  async #submitPages(
    configuration: ChannelConfiguration,
    pages: AsyncIterable<readonly NetworkEvent[]>,
  ): Promise<boolean> {
    const { channelId, environment } = this.#channel;
    const until = environment.clock.monotonic() + DURATION_MAX_MS;
    let events = 0;
    for await (const page of pages) {
      for (let from = 0; from < page.length; from += BATCH) {
        if (this.#channel.isClosed() || !environment.leaseHeld()) return false;
        const deadline = environment.clock.now() + ASK_DEADLINE_MS;
        const batch = { events: page.slice(from, from + BATCH), deadline };
        const submitted = await this.#channel.submit(configuration, batch);
        if (!submitted) throw new Error('event not committed');
      }
      events += page.length;
      if (events >= EVENTS_MAX || environment.clock.monotonic() >= until) {
        environment.log.warn({ channelId, events }, 'read-back cut short');
        break;
      }
    }
    if (events > 0) environment.log.info({ channelId, events }, 'read back');
    return !this.#channel.isClosed();
  }

  async #save(upTo: number): Promise<void> {
    const { channelId, environment } = this.#channel;
    this.#savedAt = environment.clock.monotonic();
    const change = { $max: { upTo } };
    const write = {
      update: 'readBacks',
      filter: { _id: channelId },
      change,
      upsert: true,
    } as const;
    await environment.store.commit([write], { deferrable: true });
  }
}
