/**
 * Fallback poller of due work: it finds within 5 s the work whose nudge was lost, and the work that
 * has fallen due. A query costs the store and the process a millisecond of processor time, however
 * little it finds: one call asks for all agendas whether any work is due, and only agendas with
 * due work run their query.
 */
import type { Clock, Log, Question, Store } from '../../shared/ports.ts';
import { describe } from './mailbox.ts';
import { runPeriodically } from './periodic.ts';

export const POLL_EVERY_MS = 5_000;

export interface DueWork {
  /** The query for due work; null while the agenda knows that none is due. */
  question(): Question | null;
  /** Work is due: the agenda reads it. Never throws. */
  poll(): void;
}

interface DuePollerWorld {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly leaseHeld: () => boolean;
}

export class DuePoller {
  readonly #world: DuePollerWorld;
  readonly #watches: DueWork[] = [];

  constructor(world: DuePollerWorld) {
    this.#world = world;
  }

  add(watch: DueWork): void {
    this.#watches.push(watch);
    if (this.#watches.length > 1) return;
    runPeriodically(this.#world, {
      firstMs: POLL_EVERY_MS,
      everyMs: () => POLL_EVERY_MS,
      failed: 'poll of the agendas failed',
      run: () => this.#poll(),
    });
  }

  async #poll(): Promise<void> {
    const { store, leaseHeld } = this.#world;
    if (!leaseHeld()) return;
    const asked = this.#watches.flatMap((watch) => {
      const question = this.#ofOne(() => watch.question()) ?? null;
      return question ? [{ watch, question }] : [];
    });
    if (asked.length === 0) return;
    const found = await store.which(asked.map(({ question }) => question));
    for (const [at, { watch }] of asked.entries()) {
      if (found[at]) this.#ofOne(() => watch.poll());
    }
  }

  /** A fault of one agenda leaves the others alone. */
  #ofOne<Result>(ask: () => Result): Result | undefined {
    try {
      return ask();
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'poll of one agenda failed');
      return undefined;
    }
  }
}
