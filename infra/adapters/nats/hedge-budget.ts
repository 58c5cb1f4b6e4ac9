/**
 * How many queries may be hedged: a share of the queries of the last seconds, and a small burst.
 * Without a budget an overloaded store, which answers everything late, would be asked twice for
 * everything.
 *
 * 1. The hedges of this period and of the one before stay within `SHARE` of their queries, plus
 *    `BURST`. A service with few calls has the burst alone.
 */

/** Two of them are looked at: the last 5 to 10 seconds. */
const PERIOD_MS = 5_000;
const SHARE = 0.05;
const BURST = 5;

interface Period {
  queries: number;
  hedges: number;
}

const emptyPeriod = (): Period => ({ queries: 0, hedges: 0 });

export class HedgeBudget {
  /** The number of the current period. */
  #number = 0;
  #current = emptyPeriod();
  #before = emptyPeriod();

  /** Counts a query. @param now monotonic milliseconds */
  count(now: number): void {
    this.#turnTo(now);
    this.#current.queries++;
  }

  /** Counts a hedge if it may be made now. @param now monotonic milliseconds */
  take(now: number): boolean {
    this.#turnTo(now);
    const queries = this.#before.queries + this.#current.queries;
    const hedges = this.#before.hedges + this.#current.hedges;
    if (hedges + 1 > BURST + SHARE * queries) return false;
    this.#current.hedges++;
    return true;
  }

  #turnTo(now: number): void {
    const number = Math.floor(now / PERIOD_MS);
    if (number === this.#number) return;
    this.#before = number === this.#number + 1 ? this.#current : emptyPeriod();
    this.#current = emptyPeriod();
    this.#number = number;
  }
}
