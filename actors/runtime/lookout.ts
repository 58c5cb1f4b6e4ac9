/**
 * The regular look of a process's agendas, for what a lost nudge left behind and what has fallen
 * due. Each question costs the store and the process a millisecond of processor time, however
 * little there is: so all agendas ask together, every 5 s, whether there is anything at all, and
 * only those look for whom there is.
 *
 * What is there is found within 5 s, whether or not anything else happens in the installation.
 */
import type { Clock, Log, Question, Store } from '../../shared/ports.ts';
import { describe } from './mailbox.ts';
import { runPeriodically } from './periodic.ts';

export const LOOK_EVERY_MS = 5_000;

export interface Watch {
  /** What it would look for now; null when it need not look. */
  question(): Question | null;
  /** There is something; never throws. */
  look(): void;
}

interface LookoutWorld {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly alive: () => boolean;
}

export class Lookout {
  readonly #world: LookoutWorld;
  readonly #watches: Watch[] = [];

  constructor(world: LookoutWorld) {
    this.#world = world;
  }

  watch(watch: Watch): void {
    this.#watches.push(watch);
    if (this.#watches.length > 1) return;
    runPeriodically(this.#world, {
      firstMs: LOOK_EVERY_MS,
      everyMs: () => LOOK_EVERY_MS,
      failed: 'poll of the agendas failed',
      run: () => this.#look(),
    });
  }

  async #look(): Promise<void> {
    const { store, alive } = this.#world;
    if (!alive()) return;
    const asked = this.#watches.flatMap((watch) => {
      const question = this.#ofOne(() => watch.question()) ?? null;
      return question ? [{ watch, question }] : [];
    });
    if (asked.length === 0) return;
    const found = await store.which(asked.map(({ question }) => question));
    for (const [at, { watch }] of asked.entries()) {
      if (found[at]) this.#ofOne(() => watch.look());
    }
  }

  /** A fault of one agenda is not the others'. */
  #ofOne<Result>(ask: () => Result): Result | undefined {
    try {
      return ask();
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'poll of one agenda failed');
      return undefined;
    }
  }
}
