/**
 * What was answered to a command, for as long as it may be asked again: so that a repeat which was
 * overtaken by its answer is not decided anew. It is forgotten a slice of time at once: taking
 * single answers out of one map costs more the more of them there are.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Answer, Clock } from '../../shared/ports.ts';

/** Nobody asks again after the deadline. */
const KEPT_MS = ASK_DEADLINE_MS + 2_000;
/** An answer outlives what it is kept for by one slice at most. */
const SLICE_MS = 1_000;

interface Slice {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly answers: Map<string, Answer>;
}

export class KeptAnswers {
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
    this.#forgetOld();
    this.#slices = [slice, ...this.#slices];
    if (this.#slices.length === 1) this.#forgetLater();
    return slice;
  }

  #forgetOld(): void {
    const before = this.#clock.monotonic() - KEPT_MS - SLICE_MS;
    this.#slices = this.#slices.filter(({ since }) => since > before);
  }

  /** After the last answer too: a process at rest keeps none. */
  #forgetLater(): void {
    this.#clock.after(KEPT_MS + SLICE_MS, () => {
      this.#forgetOld();
      if (this.#slices.length > 0) this.#forgetLater();
    });
  }
}
