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
import { type ConcurrencyLimits, FairScheduler, type StartedWork } from './fair-scheduler.ts';
import type { ForegroundActivity } from './foreground-activity.ts';

const COOLDOWN_FACTOR = 2;
const COOLDOWN_MAX_MS = 40;

interface Throttling {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly foregroundActivity: Pick<ForegroundActivity, 'isContended'>;
}

export class OrganizationScheduler {
  readonly #throttling: Throttling | null;
  readonly #scheduler: FairScheduler;
  /** By a number that counts up. */
  readonly #waiting = new Map<string, () => StartedWork>();
  #next = 0;

  /** Work yields to calls of other organizations if `throttling` is given. */
  constructor(
    limits: Omit<ConcurrencyLimits, 'whileContended'>,
    throttling: Throttling | null = null,
  ) {
    this.#throttling = throttling;
    const begin = (key: string) => this.#begin(key);
    this.#scheduler = new FairScheduler({ ...limits, whileContended: 1 }, begin, (orgId) =>
      this.#isContended(orgId),
    );
  }

  /** Resolves, or rejects, as the work does after its turn. */
  schedule<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const key = String(this.#next++);
    this.#waiting.set(key, () => {
      const begunAt = this.#throttling?.clock.monotonic() ?? 0;
      const ended = work().then(resolve, reject);
      return { ended, cooledDown: ended.then(() => this.#coolDown(orgId, begunAt)) };
    });
    this.#scheduler.enqueue(orgId, key);
    return promise;
  }

  #begin(key: string): StartedWork | null {
    const work = this.#waiting.get(key);
    this.#waiting.delete(key);
    return work ? work() : null;
  }

  #isContended(orgId: string): boolean {
    return this.#throttling?.foregroundActivity.isContended(orgId) ?? false;
  }

  async #coolDown(orgId: string, begunAt: number): Promise<void> {
    if (!this.#throttling || !this.#isContended(orgId)) return;
    const { clock } = this.#throttling;
    const cooldownMs = Math.min(COOLDOWN_MAX_MS, COOLDOWN_FACTOR * (clock.monotonic() - begunAt));
    await new Promise<void>((resume) => clock.after(cooldownMs, resume));
  }
}
