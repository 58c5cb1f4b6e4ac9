/** So many at once; the others wait in the order in which they came. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(size: number) {
    this.#free = size;
  }

  /** Rejects with the signal's reason when that comes first; then there is nothing to give back. */
  take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const given = () => {
      signal.removeEventListener('abort', gone);
      resolve();
    };
    const gone = () => {
      this.#waiting.splice(this.#waiting.indexOf(given), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', gone, { once: true });
    this.#waiting.push(given);
    return promise;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
