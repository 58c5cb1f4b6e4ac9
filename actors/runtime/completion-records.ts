/**
 * Completion records of commands that needed no commit: a repeat that crosses its answer is
 * answered alike and not decided again. Records are kept for as long as a caller may repeat. They
 * are removed by slices of time: single removals from a map slow down with each earlier one.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';

/** Callers repeat until the deadline. */
const RETENTION_MS = ASK_DEADLINE_MS + 2_000;
/** A record outlives its time by one slice at most. */
const SLICE_MS = 1_000;

interface Slice {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly answers: Map<string, Answer>;
}

export class CompletionRecords {
  readonly #clock: Clock;
  /** The youngest first. */
  #slices: readonly Slice[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(commandId: string): Answer | null {
    for (const { answers } of this.#slices) {
      const answer = answers.get(commandId);
      if (answer) return answer;
    }
    return null;
  }

  keep(commandId: string, answer: Answer): void {
    this.#slice().answers.set(commandId, answer);
  }

  #slice(): Slice {
    const now = this.#clock.monotonic();
    const [youngest] = this.#slices;
    if (youngest && now - youngest.since < SLICE_MS) return youngest;
    const slice = { since: now, answers: new Map() };
    this.#evictExpired();
    this.#slices = [slice, ...this.#slices];
    if (this.#slices.length === 1) this.#scheduleEviction();
    return slice;
  }

  #evictExpired(): void {
    const before = this.#clock.monotonic() - RETENTION_MS - SLICE_MS;
    this.#slices = this.#slices.filter(({ since }) => since > before);
  }

  /** Runs after the last record too: a process at rest keeps none. */
  #scheduleEviction(): void {
    this.#clock.after(RETENTION_MS + SLICE_MS, () => {
      this.#evictExpired();
      if (this.#slices.length > 0) this.#scheduleEviction();
    });
  }
}
