/**
 * The last events of one organization, in the memory of its owner, for pages that are open (D241).
 *
 * 1. Nothing is stored, and nothing is kept while the owner knows of no listener.
 * 2. A published event is told once, though its publication may be repeated (I18).
 * 3. A cursor of another owner, or of an earlier series, answers everything.
 */
import { RECENT_EVENTS_MAX, RECENT_EVENTS_MAX_CHARS } from '../../shared/limits.ts';
import type { AnswerOf } from '../../shared/ports/bus.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { type OutboxEvent, timestamp } from '../../shared/wire/outbox.ts';
import type {
  ListRecentEvents,
  RecentEvent,
  RecentEventList,
} from '../../shared/wire/recent-events.ts';
import type { Environment } from '../environment.ts';

interface NumberedEvent extends RecentEvent {
  /** Rises by one with each event of a series. */
  readonly number: number;
  readonly chars: number;
}

export class RecentEvents {
  readonly #environment: Pick<Environment, 'clock' | 'live'>;
  readonly #orgId: string;
  /** Begin of the series, epoch milliseconds. */
  #since: number;
  #count = 0;
  #chars = 0;
  /** Oldest first; the oldest goes when there are too many, or too many characters. */
  readonly #events: NumberedEvent[] = [];

  constructor(environment: Pick<Environment, 'clock' | 'live'>, orgId: string) {
    this.#environment = environment;
    this.#orgId = orgId;
    this.#since = environment.clock.now();
  }

  add(events: readonly OutboxEvent[]): void {
    const { clock, live } = this.#environment;
    if (!live.hasListeners(this.#orgId)) {
      if (this.#count > 0) this.#beginAnew();
      return;
    }
    const at = timestamp(clock.now());
    const known = new Set(this.#events.map(({ id }) => id));
    for (const { id, event, data } of events) {
      if (known.has(id)) continue;
      const chars = JSON.stringify(data).length;
      this.#count += 1;
      this.#chars += chars;
      this.#events.push({ id, at, event, data, number: this.#count, chars });
    }
    while (this.#isOverfull) this.#chars -= this.#events.shift()?.chars ?? 0;
    live.changed(this.#orgId, 'event', { id: this.#orgId, seq: clock.now() });
  }

  list({ cursor }: Pick<ListRecentEvents, 'cursor'>): AnswerOf<RecentEventList> {
    const [since, number] = (cursor ?? '').split('-').map(Number);
    const after = since === this.#since ? (number ?? 0) : 0;
    const data = this.#events
      .filter((each) => each.number > after)
      .map(({ number: _number, chars: _chars, ...event }) => event)
      .toReversed();
    return answerOf({ data, cursor: `${this.#since}-${this.#count}` });
  }

  get #isOverfull(): boolean {
    const { length } = this.#events;
    return length > RECENT_EVENTS_MAX || (length > 1 && this.#chars > RECENT_EVENTS_MAX_CHARS);
  }

  #beginAnew(): void {
    this.#since = this.#environment.clock.now();
    this.#events.length = 0;
    this.#chars = 0;
    this.#count = 0;
  }
}
