/**
 * Foreground activity: the organizations that call now, as far as this process admits their calls.
 * Background work of one organization yields while another one calls.
 */
import type { Clock } from '../../shared/ports/clock.ts';

/** A caller that calls once is likely to call again. */
const ACTIVE_MS = 2_000;

interface Call {
  readonly orgId: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export class ForegroundActivity {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #latest: Call | null = null;
  /** The latest call of another organization. */
  #other: Call | null = null;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A call of the organization was admitted. */
  recordCall(orgId: string): void {
    if (this.#latest && this.#latest.orgId !== orgId) this.#other = this.#latest;
    this.#latest = { orgId, at: this.#clock.monotonic() };
  }

  /** Whether another organization has called within the last two seconds. */
  isContended(orgId: string): boolean {
    const other = this.#latest?.orgId === orgId ? this.#other : this.#latest;
    return other !== null && this.#clock.monotonic() - other.at < ACTIVE_MS;
  }
}
