/**
 * Readiness probe of a channel: its network is asked from time to time, and at once when there is
 * reason to, and the organization is told of it in the order in which it was learnt.
 *
 * 1. Until the desk is closed the next probe is always armed: a probe that fails, or finds no
 *    configuration, arms it as one that succeeds does.
 * 2. Each probe reads the configuration anew, and the queue goes on under it: a change of which the
 *    channel was never told takes hold within a minute.
 */
import type { Readiness } from '../../shared/network.ts';
import { describe } from '../runtime/mailbox.ts';
import type { DeskWorld, KnownConfiguration } from './configuration.ts';

const PROBE_READY_MS = 60_000;
const PROBE_NOT_READY_MS = 10_000;

interface Watched {
  readonly channelId: string;
  readonly world: DeskWorld;
  readonly configuration: KnownConfiguration;
  readonly closed: () => boolean;
}

interface Told {
  /** Tells the organization. */
  readonly report: (readiness: Readiness) => Promise<void>;
  /** It can send again. */
  readonly onReady: () => void;
  /** The configuration was read; it may be another one. */
  readonly onConfigured: () => void;
}

export class ReadinessWatch {
  readonly #desk: Watched;
  readonly #told: Told;
  /** Until somebody tells otherwise. */
  #ready = true;
  /** The last look has told. The organization may know otherwise from an owner before. */
  #sure = false;
  /** Looks that have told: what an owner before has said may be heard after the first of them. */
  #answers = 0;
  #cancelProbe: (() => void) | null = null;
  #reports: Promise<void> = Promise.resolve();

  constructor(desk: Watched, told: Told) {
    this.#desk = desk;
    this.#told = told;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Asks the network whether it is ready, and goes on asking from time to time. */
  async look(): Promise<Readiness> {
    // Armed before anything can fail, and once more on every exit.
    this.#probeLater();
    this.#sure = false;
    try {
      return await this.#ask();
    } finally {
      this.#probeLater();
    }
  }

  /** The first probe comes in time, unless there is one before. */
  begin(): void {
    this.#probeLater();
  }

  async lookAndReport(): Promise<void> {
    try {
      await this.report(await this.look());
    } catch (fault) {
      this.#warn(fault, 'readiness probe failed');
    }
  }

  async #ask(): Promise<Readiness> {
    // Nobody may have been able to tell of a change.
    const configuration = await this.#desk.configuration.reload();
    if (!configuration || this.#desk.closed())
      return { ready: 'unknown', cause: 'no configuration' };
    this.#told.onConfigured();
    const { network } = configuration;
    const driver = this.#desk.world.networks.driver(network.provider);
    const readiness = await driver.status(network);
    this.#sure = readiness.ready !== 'unknown';
    if (this.#sure) this.#answers++;
    this.learn(readiness);
    return readiness;
  }

  /** Tells the organization what is known of the network; in the order in which it was learnt. */
  report(readiness: Readiness): Promise<void> {
    this.#reports = this.#reports.then(async () => {
      try {
        await this.#told.report(readiness);
      } catch (fault) {
        this.#warn(fault, 'could not report the readiness');
      }
    });
    return this.#reports;
  }

  /** What is known of the network's readiness, from wherever it came. */
  learn(readiness: Readiness): void {
    if (readiness.ready === 'unknown') return;
    const before = this.#ready;
    this.#ready = readiness.ready;
    if (before === this.#ready) return;
    this.#probeLater();
    if (this.#ready) this.#told.onReady();
  }

  /** The network says that the whole channel cannot send until somebody mends it. */
  refuseAll(reason: string): void {
    this.learn({ ready: false, reason });
    void this.report({ ready: false, reason });
  }

  end(): void {
    this.#cancelProbe?.();
  }

  #probeLater(): void {
    this.#cancelProbe?.();
    if (this.#desk.closed()) return;
    const settled = this.#ready && this.#sure && this.#answers > 1;
    const waitMs = settled ? PROBE_READY_MS : PROBE_NOT_READY_MS;
    this.#cancelProbe = this.#desk.world.clock.after(waitMs, () => void this.lookAndReport());
  }

  #warn(fault: unknown, message: string): void {
    const { channelId, world } = this.#desk;
    world.log.warn({ channelId, error: describe(fault) }, message);
  }
}
