/**
 * Work of organizations takes turns, one organization after another: one that asks for much waits
 * for itself.
 *
 * Work that steps back has one turn of an organization under way while other organizations call,
 * and after it the organization rests for twice as long as it took: a part of a list costs the
 * gateway, the bus and the caller as much again as its turn. The rest is bounded, so that the last
 * of many open lists is in time.
 */
import type { Clock } from '../../shared/ports.ts';
import { type Caps, FairTurns, type Turn } from './fair-turns.ts';
import type { Foreground } from './foreground.ts';

const RESTS_TIMES = 2;
const REST_MAX_MS = 40;

interface StepsBack {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly foreground: Pick<Foreground, 'isBeside'>;
}

export class OrganizationTurns {
  readonly #stepsBack: StepsBack | null;
  readonly #turns: FairTurns;
  /** By a number that counts up. */
  readonly #waiting = new Map<string, () => Turn>();
  #next = 0;

  /** Work steps back beside calls where `stepsBack` is given. */
  constructor(caps: Omit<Caps, 'besideCalls'>, stepsBack: StepsBack | null = null) {
    this.#stepsBack = stepsBack;
    const begin = (key: string) => this.#begin(key);
    this.#turns = new FairTurns({ ...caps, besideCalls: 1 }, begin, (orgId) =>
      this.#isBeside(orgId),
    );
  }

  /** Resolves, or rejects, as the work does when its turn has come. */
  take<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const key = String(this.#next++);
    this.#waiting.set(key, () => {
      const begunAt = this.#stepsBack?.clock.monotonic() ?? 0;
      const ended = work().then(resolve, reject);
      return { ended, rested: ended.then(() => this.#rest(orgId, begunAt)) };
    });
    this.#turns.offer(orgId, key);
    return promise;
  }

  #begin(key: string): Turn | null {
    const turn = this.#waiting.get(key);
    this.#waiting.delete(key);
    return turn ? turn() : null;
  }

  #isBeside(orgId: string): boolean {
    return this.#stepsBack?.foreground.isBeside(orgId) ?? false;
  }

  async #rest(orgId: string, begunAt: number): Promise<void> {
    if (!this.#stepsBack || !this.#isBeside(orgId)) return;
    const { clock } = this.#stepsBack;
    const restMs = Math.min(REST_MAX_MS, RESTS_TIMES * (clock.monotonic() - begunAt));
    await new Promise<void>((resume) => clock.after(restMs, resume));
  }
}
