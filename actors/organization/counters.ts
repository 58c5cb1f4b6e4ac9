/**
 * What is counted and said of an organization's calls, for as long as a process owns it: an actor's
 * state may be dropped between any two turns, what was let in may not be forgotten with it.
 *
 * An organization whose actor is closed is forgotten when its windows have ended and are written:
 * the next call reads them from the store.
 */
import { RATE_WINDOW_MS } from '../../shared/limits.ts';
import { partitionOf } from '../../shared/subjects.ts';
import { CompletionRecords } from '../runtime/completion-records.ts';
import type { World } from '../world.ts';
import { RateWindows } from './rate-windows.ts';

export interface Counter {
  readonly windows: RateWindows;
  /** What was said to each admission. */
  readonly admissions: CompletionRecords;
}

interface Counting {
  readonly epoch: number;
  readonly counter: Promise<Counter>;
  /** Monotonic milliseconds; null while an actor has it. */
  releasedAt: number | null;
}

/** Longer than a window, and than any turn that outlives its actor. */
const REST_MS = 2 * RATE_WINDOW_MS;

export class Counters {
  readonly #world: World;
  readonly #countings = new Map<string, Counting>();
  #forgetting = false;

  constructor(world: World) {
    this.#world = world;
  }

  of(orgId: string, epoch: number): Promise<Counter> {
    const known = this.#countings.get(orgId);
    if (known?.epoch === epoch) {
      known.releasedAt = null;
      return known.counter;
    }
    const counter = this.#begin(orgId, epoch);
    // A turn that outlived its time of owning the partition counts for nobody.
    if (known && known.epoch > epoch) return counter;
    const counting: Counting = { epoch, counter, releasedAt: null };
    this.#countings.set(orgId, counting);
    if (known) closeOf(known);
    counter.catch(() => {
      if (this.#countings.get(orgId) === counting) this.#countings.delete(orgId);
    });
    return counter;
  }

  /** Organizations that are kept in mind. */
  get size(): number {
    return this.#countings.size;
  }

  /** The organization's actor is closed. */
  release(orgId: string, epoch: number): void {
    const counting = this.#countings.get(orgId);
    if (counting?.epoch !== epoch) return;
    counting.releasedAt = this.#world.clock.monotonic();
    this.#forgetLater();
  }

  #forgetLater(): void {
    if (this.#forgetting) return;
    this.#forgetting = true;
    this.#world.clock.after(REST_MS, () => void this.#forgetResting());
  }

  async #forgetResting(): Promise<void> {
    const before = this.#world.clock.monotonic() - REST_MS;
    let left = false;
    for (const [orgId, counting] of this.#countings) {
      if (counting.releasedAt === null) continue;
      const isOld = counting.releasedAt <= before;
      const isWritten = isOld && (await counting.counter.then(isClean, () => true));
      const mayGo = isWritten && counting.releasedAt !== null && counting.releasedAt <= before;
      if (mayGo && this.#countings.get(orgId) === counting) this.#countings.delete(orgId);
      else left = true;
    }
    this.#forgetting = false;
    if (left) this.#forgetLater();
  }

  giveUp(partition: number): void {
    for (const [orgId, counting] of this.#countings) {
      if (partitionOf('organization', orgId) !== partition) continue;
      this.#countings.delete(orgId);
      closeOf(counting);
    }
  }

  async #begin(orgId: string, epoch: number): Promise<Counter> {
    const windows = await RateWindows.load({ orgId, epoch }, this.#world);
    return { windows, admissions: new CompletionRecords(this.#world.clock) };
  }
}

function isClean({ windows }: Counter): boolean {
  return !windows.dirty;
}

function closeOf({ counter }: Counting): void {
  // The caller is told why it could not be read.
  counter.then(
    ({ windows }) => windows.close(),
    () => undefined,
  );
}
