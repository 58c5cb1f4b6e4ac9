/** What happened in a world: a digest to compare replays by, and the lines to read. */
import { createHash } from 'node:crypto';
import type { Scheduler } from './scheduler.ts';

const KEPT_LINES = 20_000;
/** What is hashed at a time. */
const CHUNK_CHARS = 20_000;

export class Story {
  readonly #scheduler: Scheduler;
  readonly #hash = createHash('sha256');
  readonly #lines: string[] = [];
  readonly #kept: boolean;
  #told = '';

  constructor(scheduler: Scheduler, kept: boolean) {
    this.#scheduler = scheduler;
    this.#kept = kept;
  }

  tell(who: string, what: string): void {
    const { now } = this.#scheduler;
    this.#told += `${now} ${who} ${what}\n`;
    if (this.#told.length > CHUNK_CHARS) this.#settle();
    if (!this.#kept || this.#lines.length >= KEPT_LINES) return;
    this.#lines.push(`${now.toFixed(1).padStart(9)} ${who.padEnd(12)} ${what}`);
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  /** The same for two runs in which the same happened. */
  digest(): string {
    this.#settle();
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  #settle(): void {
    this.#hash.update(this.#told);
    this.#told = '';
  }
}
