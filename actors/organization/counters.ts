/**
 * What is counted and said of an organization's calls, for as long as a process owns it: an actor's
 * state may be dropped between any two turns, what was let in may not be forgotten with it.
 */
import { partitionOf } from '../../shared/subjects.ts';
import { KeptAnswers } from '../runtime/kept-answers.ts';
import type { World } from '../world.ts';
import { RateWindows } from './rate-windows.ts';

export interface Counter {
  readonly windows: RateWindows;
  /** What was said to each admission. */
  readonly admissions: KeptAnswers;
}

interface Counting {
  readonly epoch: number;
  readonly counter: Promise<Counter>;
}

export class Counters {
  readonly #world: World;
  readonly #countings = new Map<string, Counting>();

  constructor(world: World) {
    this.#world = world;
  }

  of(orgId: string, epoch: number): Promise<Counter> {
    const known = this.#countings.get(orgId);
    if (known?.epoch === epoch) return known.counter;
    const counter = this.#begin(orgId, epoch);
    // A turn that outlived its time of owning the partition counts for nobody.
    if (known && known.epoch > epoch) return counter;
    const counting = { epoch, counter };
    this.#countings.set(orgId, counting);
    if (known) closeOf(known);
    counter.catch(() => {
      if (this.#countings.get(orgId) === counting) this.#countings.delete(orgId);
    });
    return counter;
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
    return { windows, admissions: new KeptAnswers(this.#world.clock) };
  }
}

function closeOf({ counter }: Counting): void {
  // Who asked for it is told what it could not be read for.
  counter.then(
    ({ windows }) => windows.close(),
    () => undefined,
  );
}
