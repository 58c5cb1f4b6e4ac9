/**
 * One task that runs again on request: one run at a time, with a pause behind it. A run that is
 * refused for a moment repeats itself, for no hint may come.
 */
import { signal } from '@preact/signals';
import { after, chance, now } from '../clock.ts';
import type { Refused } from './call.ts';
import { readPace, retryMs } from './read-pace.ts';

/** Repeaters whose last run was refused for a moment: what they show may be late. */
export const late = signal(0);

export class Repeater {
  #running = false;
  #wanted = false;
  #ended = false;
  /** Runs without success, one after another. */
  #refusals = 0;
  #cancelRetry: () => void = () => undefined;
  readonly #task: () => Promise<Refused | null>;

  /** @param task its refusal, or null */
  constructor(task: () => Promise<Refused | null>) {
    this.#task = task;
  }

  request(): void {
    this.#wanted = true;
    if (!this.#running && !this.#ended) void this.#run();
  }

  end(): void {
    this.#ended = true;
    this.#settle(0);
  }

  get ended(): boolean {
    return this.#ended;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#wanted && !this.#ended) {
      this.#wanted = false;
      const refused = await this.#task();
      if (!this.#ended) this.#heed(refused);
      const pauseMs = readPace.read(now());
      await new Promise<void>((resume) => after(pauseMs, resume));
    }
    this.#running = false;
  }

  #heed(refused: Refused | null): void {
    if (refused === null || !isPassing(refused)) {
      this.#settle(0);
      return;
    }
    this.#settle(this.#refusals + 1);
    const pauseMs = retryMs(this.#refusals, refused.retryAfterMs ?? 0, chance());
    this.#cancelRetry = after(pauseMs, () => this.request());
  }

  #settle(refusals: number): void {
    this.#cancelRetry();
    if (refusals === 0 && this.#refusals > 0) late.value -= 1;
    if (refusals > 0 && this.#refusals === 0) late.value += 1;
    this.#refusals = refusals;
  }
}

/** A repeat may succeed: no answer came, too many calls, or a fault of the server. */
function isPassing({ status }: Refused): boolean {
  return status === 0 || status === 429 || status >= 500;
}
