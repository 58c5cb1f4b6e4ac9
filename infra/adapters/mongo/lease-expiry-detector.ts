/**
 * Detects leases that stayed unrenewed for their whole duration, by the reader's own monotonic
 * clock. So no server's clock ends a lease, whichever server is the primary.
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
   * Call it before the leases are read, and its result with the read leases (names and ends). It
   * returns the names that were not renewed. The unrenewed time runs from the end of the first read
   * of a lease to the begin of a later one.
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
