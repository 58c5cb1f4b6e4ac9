/**
 * Fallback poller of due work: it finds within 5 s the work with a lost nudge, and the work that
 * has become due. A query costs the store and the process a millisecond of processor time, even if
 * it finds nothing. So one call asks for all agendas whether any work is due. Only agendas with due
 * work run their query.
 */

import type { Environment } from '../environment.ts';
import type { ExistenceQuery } from '../model/collections.ts';
import { describe } from './describe-fault.ts';
import { runPeriodically } from './periodic.ts';

export const POLL_EVERY_MS = 5_000;

interface PolledAgenda {
  /** The query for due work; null while the agenda knows that none is due. */
  question(): ExistenceQuery | null;
  /** Work is due: the agenda reads it. Never throws. */
  poll(): void;
}

type DuePollerEnvironment = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class DuePoller {
  readonly #environment: DuePollerEnvironment;
  readonly #agendas: PolledAgenda[] = [];

  constructor(environment: DuePollerEnvironment) {
    this.#environment = environment;
  }

  add(agenda: PolledAgenda): void {
    this.#agendas.push(agenda);
    if (this.#agendas.length > 1) return;
    runPeriodically(this.#environment, {
      firstMs: POLL_EVERY_MS,
      everyMs: () => POLL_EVERY_MS,
      failed: 'poll of the agendas failed',
      run: () => this.#poll(),
    });
  }

  async #poll(): Promise<void> {
    const { store, leaseHeld } = this.#environment;
    if (!leaseHeld()) return;
    const asked = this.#agendas.flatMap((agenda) => {
      const question = this.#isolateFault(() => agenda.question()) ?? null;
      return question ? [{ agenda, question }] : [];
    });
    if (asked.length === 0) return;
    const found = await store.existsEach(asked.map(({ question }) => question));
    for (const [at, { agenda }] of asked.entries()) {
      if (found[at]) this.#isolateFault(() => agenda.poll());
    }
  }

  /** A fault of one agenda does not affect the others. */
  #isolateFault<Result>(ask: () => Result): Result | undefined {
    try {
      return ask();
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'poll of one agenda failed');
      return undefined;
    }
  }
}
