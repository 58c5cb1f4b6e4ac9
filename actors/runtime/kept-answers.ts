/**
 * What was answered to a command, for as long as it may be asked again: so that a repeat which was
 * overtaken by its answer is not decided anew.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Answer, Clock } from '../../shared/ports.ts';

/** Nobody asks again after the deadline. */
const KEPT_MS = ASK_DEADLINE_MS + 2_000;

export class KeptAnswers {
  readonly #clock: Clock;
  /** By the command's id, oldest first. */
  readonly #kept = new Map<string, { readonly answer: Answer; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(commandId: string): Answer | null {
    return this.#kept.get(commandId)?.answer ?? null;
  }

  keep(commandId: string, answer: Answer): void {
    const now = this.#clock.monotonic();
    for (const [id, { at }] of this.#kept) {
      if (at > now - KEPT_MS) break;
      this.#kept.delete(id);
    }
    this.#kept.set(commandId, { answer, at: now });
  }
}
