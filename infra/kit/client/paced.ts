/** A post that is repeated at most twice a second, for all that has gathered meanwhile. */
import type { Platform } from './platform.ts';

/** The service takes two a second; clocks differ a little. */
const EVERY_MS = 550;
const FLUSH_MS = 5_000;

interface Gathered {
  readonly isDue: () => boolean;
  /** Takes what has gathered, and keeps it when it throws. */
  readonly post: (signal: AbortSignal) => Promise<void>;
}

export class PacedPost {
  readonly #platform: Platform;
  readonly #gathered: Gathered;
  readonly #end = new AbortController();
  #postedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;

  constructor(platform: Platform, gathered: Gathered) {
    this.#platform = platform;
    this.#gathered = gathered;
  }

  /** Posts soon. A post that fails is made again the next time. */
  poke(): void {
    this.#start().catch(() => undefined);
  }

  /** Posts until nothing is left, or something fails. */
  async flush(): Promise<void> {
    await this.#running?.catch(() => undefined);
    await this.#start().catch(() => undefined);
  }

  /** Like `flush`, within 5 s, for the last time. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#end.abort(), FLUSH_MS);
    await this.flush();
    clearTimeout(timer);
  }

  #start(): Promise<void> {
    if (this.#running) return this.#running;
    if (!this.#gathered.isDue()) return Promise.resolve();
    const running = this.#run();
    this.#running = running;
    return running;
  }

  async #run(): Promise<void> {
    const { now, sleep } = this.#platform;
    const { signal } = this.#end;
    try {
      do {
        await sleep(Math.max(0, this.#postedAt + EVERY_MS - now()), signal);
        this.#postedAt = now();
        await this.#gathered.post(signal);
      } while (this.#gathered.isDue());
    } finally {
      // No later: a poke after the last look would be lost.
      this.#running = null;
    }
  }
}
