/**
 * Weighted fair semaphore: so many bytes at once, and of one holder only so many.
 *
 * 1. The next is the oldest claim of the holder that holds least and may hold it; claims of one
 *    holder keep their order.
 * 2. A claim that does not fit yet lets none pass, so that large ones do not starve.
 * 3. A claim beyond a bound goes when nothing else is held within that bound.
 */
export interface Bounds {
  readonly bytes: number;
  readonly perHolder: number;
}

/** Bytes; `most` is the most that was held at once since the start. */
export interface Usage {
  readonly held: number;
  readonly peak: number;
  /** Claims. */
  readonly waiting: number;
}

interface Waiter {
  readonly bytes: number;
  /** When it came, among all. */
  readonly number: number;
  readonly given: () => void;
}

export class ByteBudget {
  readonly #bounds: Bounds;
  readonly #held = new Map<string, number>();
  /** By holder, the oldest first; a holder without claims is not in it. */
  readonly #waiting = new Map<string, Waiter[]>();
  #used = 0;
  #peak = 0;
  #claims = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get usage(): Usage {
    let waiting = 0;
    for (const waiters of this.#waiting.values()) waiting += waiters.length;
    return { held: this.#used, peak: this.#peak, waiting };
  }

  /**
   * Runs `use` while `bytes` are held.
   * @throws the signal's reason when that comes while it waits
   */
  async withReserved<T>(
    holder: string,
    { bytes, signal }: { readonly bytes: number; readonly signal?: AbortSignal },
    use: () => Promise<T>,
  ): Promise<T> {
    await this.#acquire(holder, bytes, signal);
    try {
      return await use();
    } finally {
      this.#release(holder, bytes);
    }
  }

  #acquire(holder: string, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const given = () => {
      signal?.removeEventListener('abort', gone);
      resolve();
    };
    const waiter = { bytes, number: this.#claims++, given };
    const gone = () => {
      this.#remove(holder, waiter);
      reject(signal?.reason);
      this.#grant();
    };
    signal?.addEventListener('abort', gone, { once: true });
    const waiters = this.#waiting.get(holder);
    if (waiters) waiters.push(waiter);
    else this.#waiting.set(holder, [waiter]);
    this.#grant();
    return promise;
  }

  #release(holder: string, bytes: number): void {
    const left = this.#heldBy(holder) - bytes;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#used -= bytes;
    this.#grant();
  }

  /** Grants the free bytes. */
  #grant(): void {
    for (;;) {
      const next = this.#next();
      if (!next) return;
      const [holder, waiter] = next;
      if (this.#used > 0 && this.#used + waiter.bytes > this.#bounds.bytes) return;
      this.#remove(holder, waiter);
      this.#held.set(holder, this.#heldBy(holder) + waiter.bytes);
      this.#used += waiter.bytes;
      this.#peak = Math.max(this.#peak, this.#used);
      waiter.given();
    }
  }

  #next(): readonly [string, Waiter] | null {
    let next: readonly [string, Waiter] | null = null;
    for (const [holder, [oldest]] of this.#waiting) {
      if (!oldest) continue;
      const held = this.#heldBy(holder);
      if (held > 0 && held + oldest.bytes > this.#bounds.perHolder) continue;
      const best = next === null ? null : this.#heldBy(next[0]) - held;
      const older = next !== null && oldest.number < next[1].number;
      if (best === null || best > 0 || (best === 0 && older)) next = [holder, oldest];
    }
    return next;
  }

  #remove(holder: string, waiter: Waiter): void {
    const left = (this.#waiting.get(holder) ?? []).filter((each) => each !== waiter);
    if (left.length > 0) this.#waiting.set(holder, left);
    else this.#waiting.delete(holder);
  }

  #heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }
}
