/**
 * The ids of this installation. Derived ids need its salt, which is in the record. Until a process
 * answers with it, requests wait (within their deadline), and health answers.
 */
import type { Clock } from '../shared/ports/clock.ts';
import type { Ids } from '../shared/ports/ids.ts';

export class Installation {
  readonly #clock: Clock;
  readonly #waiting = new Set<(ids: Ids) => void>();
  #ids: Ids | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The ids, or null while the salt is not known. */
  current(): Ids | null {
    return this.#ids;
  }

  learn(ids: Ids): void {
    this.#ids = ids;
    for (const resume of this.#waiting) resume(ids);
    this.#waiting.clear();
  }

  /** @throws Error when the salt is still unknown after `waitMs` */
  wait(waitMs: number): Promise<Ids> {
    const { promise, resolve, reject } = Promise.withResolvers<Ids>();
    const cancel = this.#clock.after(waitMs, () => {
      this.#waiting.delete(resume);
      reject(new Error('the installation is not known yet'));
    });
    const resume = (ids: Ids): void => {
      cancel();
      resolve(ids);
    };
    this.#waiting.add(resume);
    return promise;
  }
}
