/**
 * Which leases a reader has seen unrenewed for as long as a lease is, by its own monotonic clock:
 * no server's clock ends them, whichever server tells the time.
 */
import { LEASE_MS } from '../../../shared/limits.ts';

interface Observation {
  /** The end of the lease on record, epoch milliseconds: each renewal moves it. */
  readonly until: number;
  /** Monotonic milliseconds, when it was known to be there. */
  readonly since: number;
}

export class LeaseExpiryDetector {
  readonly #monotonic: () => number;
  #observations: ReadonlyMap<string, Observation> = new Map();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * To be called before the leases are read; the answer takes what was read, ends by names, and
   * tells which of them have not been renewed. A time counts from the end of the reading that saw a
   * lease first to the begin of the one that sees it again.
   */
  begin(): (leases: readonly (readonly [string, number])[]) => ReadonlySet<string> {
    const asked = this.#monotonic();
    return (leases) => {
      const since = this.#monotonic();
      const unrenewed = new Set<string>();
      const sights = new Map<string, Observation>();
      for (const [name, until] of leases) {
        const known = this.#observations.get(name);
        const same = known?.until === until;
        sights.set(name, same ? known : { until, since });
        if (same && asked - known.since >= LEASE_MS) unrenewed.add(name);
      }
      this.#observations = sights;
      return unrenewed;
    };
  }
}
