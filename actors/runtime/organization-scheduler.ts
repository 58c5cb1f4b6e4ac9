/**
 * Scheduler of organizations' work: they alternate, so an organization with much work delays
 * itself.
 *
 * Throttled work has one turn of an organization under way while other organizations call. After it
 * the organization cools down for twice as long as the turn. The reason: a part of a list costs the
 * gateway, the bus and the caller as much again as its turn. The pause is bounded, so that the last
 * of many open lists is in time.
 */
import type { Clock } from '../../shared/ports/clock.ts';
import type { Caps } from './concurrency.ts';
import { FairScheduler, type StartedWork } from './fair-scheduler.ts';
import { sleep } from './repeat.ts';

const COOLDOWN_FACTOR = 2;
const COOLDOWN_MAX_MS = 40;
/** A timer costs more than so short a pause is worth. */
const COOLDOWN_MIN_MS = 1;

interface Throttling {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly foregroundActivity: Pick<ForegroundActivity, 'isContended'>;
}

export class OrganizationScheduler {
  readonly #throttling: Throttling | null;
  readonly #scheduler: FairScheduler<() => StartedWork>;

  /** Work yields to calls of other organizations if `throttling` is given. */
  constructor(limits: Omit<Caps, 'whileContended'>, throttling: Throttling | null = null) {
    this.#throttling = throttling;
    const caps = { ...limits, whileContended: 1 };
    const isContended = (orgId: string) => this.#isContended(orgId);
    this.#scheduler = new FairScheduler(caps, (work) => work(), isContended);
  }

  /** Resolves, or rejects, as the work does after its turn. */
  schedule<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#scheduler.enqueue(orgId, () => {
      const begunAt = this.#throttling?.clock.monotonic() ?? 0;
      const ended = work().then(resolve, reject);
      return { ended, cooledDown: ended.then(() => this.#coolDown(orgId, begunAt)) };
    });
    return promise;
  }

  #isContended(orgId: string): boolean {
    return this.#throttling?.foregroundActivity.isContended(orgId) ?? false;
  }

  async #coolDown(orgId: string, begunAt: number): Promise<void> {
    if (!this.#throttling || !this.#isContended(orgId)) return;
    const { clock } = this.#throttling;
    const cooldownMs = Math.min(COOLDOWN_MAX_MS, COOLDOWN_FACTOR * (clock.monotonic() - begunAt));
    if (cooldownMs >= COOLDOWN_MIN_MS) await sleep(clock, cooldownMs);
  }
}

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
