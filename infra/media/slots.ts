/**
 * So many at once, and of one holder only so many: the others wait in the order in which they came,
 * and whoever may start passes those of a holder who has its share.
 */
export interface Shares {
  readonly atOnce: number;
  readonly perHolder: number;
}

interface Waiting {
  readonly holder: string;
  readonly given: () => void;
}

export class Slots {
  readonly #shares: Shares;
  readonly #waiting: Waiting[] = [];
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(shares: Shares) {
    this.#shares = shares;
  }

  /** Rejects with the signal's reason when that comes first; then there is nothing to give back. */
  take(holder: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const given = () => {
      signal.removeEventListener('abort', gone);
      resolve();
    };
    const gone = () => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      reject(signal.reason);
    };
    const waiting = { holder, given };
    signal.addEventListener('abort', gone, { once: true });
    this.#waiting.push(waiting);
    this.#hand();
    return promise;
  }

  give(holder: string): void {
    const left = (this.#held.get(holder) ?? 0) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#used -= 1;
    this.#hand();
  }

  /** Hands out what is free. */
  #hand(): void {
    const { atOnce, perHolder } = this.#shares;
    while (this.#used < atOnce) {
      const at = this.#waiting.findIndex(({ holder }) => this.#heldBy(holder) < perHolder);
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (!next) return;
      this.#held.set(next.holder, this.#heldBy(next.holder) + 1);
      this.#used += 1;
      next.given();
    }
  }

  #heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }
}
