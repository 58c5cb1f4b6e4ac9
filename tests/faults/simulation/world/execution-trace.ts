/** Trace of a world: a digest to compare replays by, and the lines to read. */
import { createHash } from 'node:crypto';
import type { Scheduler } from './scheduler.ts';

const KEPT_LINES = 20_000;
/** Characters that are hashed at a time. */
const CHUNK_CHARS = 20_000;

export class ExecutionTrace {
  readonly #scheduler: Scheduler;
  readonly #hash = createHash('sha256');
  readonly #lines: string[] = [];
  readonly #kept: boolean;
  #pending = '';

  constructor(scheduler: Scheduler, kept: boolean) {
    this.#scheduler = scheduler;
    this.#kept = kept;
  }

  record(who: string, what: string): void {
    const { now } = this.#scheduler;
    this.#pending += `${now} ${who} ${what}\n`;
    if (this.#pending.length > CHUNK_CHARS) this.#flush();
    if (!this.#kept || this.#lines.length >= KEPT_LINES) return;
    this.#lines.push(`${now.toFixed(1).padStart(9)} ${who.padEnd(12)} ${what}`);
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  /** The same for two runs in which the same happened. */
  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  #flush(): void {
    this.#hash.update(this.#pending);
    this.#pending = '';
  }
}
