/**
 * Hedged queries: which process each is sent to, and whether it is asked of another one too (D343).
 * Decisions only; the multiplexer sends.
 */
import { HEDGE_AFTER_MS } from '../../../shared/limits.ts';
import { mayHedge } from '../../../shared/wire/hedged-queries.ts';
import { HedgeBudget } from './hedge-budget.ts';
import { Responders } from './responders.ts';

/** Of a query that may be asked of a second process. */
export interface Hedge {
  /** Subjects of the processes that it was sent to by name. */
  readonly sentTo: Set<string>;
  /** Null where the queue group got it last, and before. */
  last: string | null;
  /** Of the last sending, monotonic milliseconds. */
  sentAt: number;
  /** When it is asked of another one; infinite once that is decided. */
  dueAt: number;
}

export class Hedging {
  readonly responders: Responders;
  readonly #budget = new HedgeBudget();

  /** @param random from 0 to below 1 */
  constructor(random: () => number) {
    this.responders = new Responders(random);
  }

  /** For a new query; null for one that goes to one process at a time. */
  begin(resource: string, now: number): Hedge | null {
    this.#budget.count(now);
    if (!mayHedge(resource)) return null;
    return { sentTo: new Set(), last: null, sentAt: now, dueAt: now + HEDGE_AFTER_MS };
  }

  /** The subject of the process that gets it next; null for the queue group. */
  route(hedge: Hedge, now: number): string | null {
    this.#noteSilence(hedge);
    const next = this.responders.choose(hedge.sentTo);
    if (next !== null) hedge.sentTo.add(next);
    hedge.last = next;
    hedge.sentAt = now;
    // After "no responders" the next process has its time too.
    if (hedge.dueAt !== Number.POSITIVE_INFINITY) hedge.dueAt = now + HEDGE_AFTER_MS;
    return next;
  }

  /** Whether the unanswered query is asked of another process now: true at most once. */
  isDue(hedge: Hedge, now: number): boolean {
    if (now < hedge.dueAt) return false;
    hedge.dueAt = Number.POSITIVE_INFINITY;
    this.#noteSilence(hedge);
    return this.#budget.take(now);
  }

  #noteSilence({ last, sentAt }: Hedge): void {
    if (last !== null) this.responders.unanswered(last, sentAt);
  }
}
