/** The limit of what waits in one stream: beyond it the oldest are dropped, and counted. */
import { overflow } from '../../domain/stream-delivery.ts';
import type { Environment } from '../../environment.ts';
import type { StreamCursor } from './cursor.ts';
import type { StreamLog } from './log.ts';
import type { StreamPositions } from './positions.ts';

/** New deliveries between two counts of those that wait: far from the limit, and at it. */
const COUNT_EVERY = { most: 1_000, least: 100 };
const DROPPED_AT_ONCE = 1_000;

/** New deliveries until the next count, with so many too many; below 0: so much room is left. */
export function untilCount(tooMany: number): number {
  return Math.min(COUNT_EVERY.most, Math.max(COUNT_EVERY.least, -tooMany));
}

interface StreamOverflowSettings {
  readonly environment: Pick<Environment, 'clock' | 'leaseHeld' | 'settings'>;
  readonly log: Pick<StreamLog, 'change' | 'record' | 'stored'>;
  readonly cursor: Pick<StreamCursor, 'drop'>;
  readonly positions: Pick<StreamPositions, 'load'>;
  /**
   * Begins a stream that no connection has read yet, where an earlier one had this name: what is
   * dropped is of the new one, and told to its first connection. True where there was one.
   */
  readonly beginNew: (orgId: string) => Promise<boolean>;
}

export class StreamOverflow {
  readonly #settings: StreamOverflowSettings;
  /** New deliveries until the next count. */
  #untilCount = 0;

  constructor(settings: StreamOverflowSettings) {
    this.#settings = settings;
  }

  /** So many new deliveries are known. */
  expect(count: number): void {
    this.#untilCount -= count;
  }

  /** The number of dropped deliveries. */
  async drop(): Promise<number> {
    if (this.#untilCount > 0) return 0;
    const { environment } = this.#settings;
    let tooMany = await this.#countTooMany();
    if (tooMany > 0 && (await this.#beginNew())) tooMany = await this.#countTooMany();
    this.#untilCount = untilCount(tooMany);
    const now = environment.clock.now();
    let count = 0;
    while (tooMany > 0 && environment.leaseHeld()) {
      const dropped = await this.#dropOldest(Math.min(tooMany, DROPPED_AT_ONCE), now);
      if (dropped === 0) break;
      count += dropped;
      tooMany -= dropped;
    }
    return count;
  }

  /** An owner of which nobody has asked yet learns the organization from what waits. */
  async #beginNew(): Promise<boolean> {
    const { log, beginNew } = this.#settings;
    const [oldest] = await log.stored.first(1);
    return oldest !== undefined && (await beginNew(oldest.orgId));
  }

  async #countTooMany(): Promise<number> {
    const { environment, log } = this.#settings;
    return (await log.stored.waiting()) - environment.settings.streamWaitingMax;
  }

  async #dropOldest(atOnce: number, now: number): Promise<number> {
    const { log, cursor, positions } = this.#settings;
    const known = await positions.load();
    const written = known.oldest(atOnce);
    const oldest = [...written, ...(await log.stored.oldest(atOnce - written.length))];
    if (oldest.length === 0) return 0;
    cursor.drop(oldest.length);
    // Before: what a paused owner drops late is counted by the next one too.
    await log.record();
    await log.change(oldest, (state) => overflow(state, now));
    known.remove(oldest);
    return oldest.length;
  }
}
