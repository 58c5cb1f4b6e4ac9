/**
 * A turn that failed without a word from the store may have committed all the same, and nobody then
 * lets follow what must follow: events, commands, the snapshot. So the owner looks again, as the
 * next owner would: soon, and once more when a write that was late has landed or never will. Who
 * is in doubt again meanwhile is looked at as long after that.
 */
import type { Clock, Log } from '../../shared/ports.ts';
import type { Partition } from '../../shared/subjects.ts';
import type { Kind } from './actor.ts';
import { describe } from './mailbox.ts';

const SOON_MS = 500;
/** The store's own deadline is 5 s; what it takes later than twice that, it takes never. */
const LATE_MS = 10_000;
const RETRY_MS = 1_000;
/** What is taken within it is looked at together. */
const GATHER_MS = 100;

interface HeldPartition {
  readonly partition: Partition;
  readonly epoch: number;
}

interface CompletionSettings {
  readonly clock: Clock;
  readonly log: Log;
  readonly alive: () => boolean;
}

export class Completions {
  readonly #settings: CompletionSettings;
  readonly #holds: (held: HeldPartition) => boolean;
  /** Until when to look, by what is looked at: monotonic milliseconds. */
  readonly #due = new Map<string, number>();
  #late: (() => Promise<void>)[] | null = null;

  constructor(settings: CompletionSettings, holds: (held: HeldPartition) => boolean) {
    this.#settings = settings;
    this.#holds = holds;
  }

  add(kind: Kind, held: HeldPartition, key: string): void {
    const { complete } = kind;
    if (!complete) return;
    for (const ms of [SOON_MS, LATE_MS]) {
      const name = `${kind.kind} ${key} ${held.epoch} ${ms}`;
      const waits = this.#due.has(name);
      this.#due.set(name, this.#settings.clock.monotonic() + ms);
      if (waits) continue;
      this.#wait(name, ms, () => void this.#insist(held, () => complete(key, held.epoch)));
    }
  }

  #wait(name: string, ms: number, look: () => void): void {
    const { clock } = this.#settings;
    clock.after(ms, () => {
      const left = (this.#due.get(name) ?? 0) - clock.monotonic();
      if (left > 0) this.#wait(name, left, look);
      else this.#due.delete(name);
      look();
    });
  }

  /** The last owner's writes may land after its successor has looked for what it left. */
  addPartition(kind: Kind, held: HeldPartition): void {
    const { completeLate } = kind;
    if (!completeLate) return;
    const late = () => this.#insist(held, () => completeLate(held.partition.number, held.epoch));
    this.#late?.push(late);
    if (this.#late) return;
    const together = [late];
    this.#late = together;
    const { clock } = this.#settings;
    clock.after(GATHER_MS, () => {
      this.#late = null;
      clock.after(LATE_MS, () => {
        for (const complete of together) void complete();
      });
    });
  }

  async #insist(held: HeldPartition, complete: () => Promise<void>): Promise<void> {
    const { clock, log, alive } = this.#settings;
    const { kind, number } = held.partition;
    while (alive() && this.#holds(held)) {
      try {
        await complete();
        return;
      } catch (cause) {
        log.warn({ kind, number, error: describe(cause) }, 'could not complete what was left');
      }
      await new Promise<void>((resume) => clock.after(RETRY_MS, resume));
    }
  }
}
