/**
 * Deadline for every call of the driver. A command written to a just destroyed connection waits for
 * a `drain` that never comes (driver 7.8). Neither `socketTimeoutMS` nor `timeoutMS` ends that
 * wait. A late command counts as in doubt: the fences make a write that takes effect afterwards
 * harmless.
 */

const DEADLINE_MS = 5_000;

class StoreTimeout extends Error {
  constructor(what: string, ms: number) {
    super(`${what} was not answered within ${ms} ms`);
    this.name = 'StoreTimeout';
  }
}

/** Rejects with StoreTimeout when `work` lasts longer than `ms`. */
export function withinDeadline<T>(
  work: Promise<T>,
  what: string,
  ms: number = DEADLINE_MS,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new StoreTimeout(what, ms)), ms);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
