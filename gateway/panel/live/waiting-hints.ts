/** Hints that wait for one page to read; beyond a bound one `resync` takes their place. */
import type { EncodedHints } from './live-feed.ts';

const HINTS_MAX = 500;
export const RESYNC = Buffer.from('event: resync\ndata: {}\n\n');

export class WaitingHints {
  readonly #waiting: Uint8Array[] = [];
  #count = 0;
  #isBehind = false;

  get isEmpty(): boolean {
    return !this.#isBehind && this.#waiting.length === 0;
  }

  add({ count, bytes }: EncodedHints): void {
    if (this.#isBehind) return;
    this.#waiting.push(bytes);
    this.#count += count;
    if (this.#count > HINTS_MAX) this.resync();
  }

  /** In place of all that waits. */
  resync(): void {
    this.#waiting.length = 0;
    this.#count = 0;
    this.#isBehind = true;
  }

  /** All that waits; null where it is empty. */
  take(): Uint8Array | null {
    if (this.#isBehind) {
      this.#isBehind = false;
      return RESYNC;
    }
    const [first, ...more] = this.#waiting.splice(0);
    this.#count = 0;
    return first && more.length > 0 ? Buffer.concat([first, ...more]) : (first ?? null);
  }
}
