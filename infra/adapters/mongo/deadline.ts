/**
 * A deadline of our own for every call of the driver: a command that is written to a connection
 * which has just been destroyed waits for a `drain` that never comes (driver 7.8), and neither
 * `socketTimeoutMS` nor `timeoutMS` ends it. What is late counts as "could not say": the fences
 * make a write that lands after all harmless.
 */

const DEADLINE_MS = 5_000;

class StoreTimeout extends Error {
  constructor(what: string, ms: number) {
    super(`${what} was not answered within ${ms} ms`);
    this.name = 'StoreTimeout';
  }
}

/** Rejects with StoreTimeout when `work` takes longer than `ms`. */
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
