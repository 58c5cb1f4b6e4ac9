/**
 * Rates of the last hour, sampled from every process's metrics while an operator's page asks.
 *
 * 1. Without a page that asks nothing is sampled. A gap is a gap: what happened in it counts in no
 *    minute, and the answer says since when there are samples.
 * 2. A minute's rates are over the seconds that were sampled in it.
 */
import { RATES_ASKED_MS, RATES_MINUTES_KEPT, RATES_SAMPLE_MS } from '../../../shared/limits.ts';
import { quantile } from '../../../shared/metrics/samples.ts';
import type { ProcessExposition } from '../../../shared/panel/operation.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import {
  type Happened,
  happenedBetween,
  NOTHING,
  type Reading,
  readingOf,
  together,
} from './readings.ts';

const MINUTE_MS = 60_000;
const MS = 1_000;

interface Minute {
  /** Its start, epoch milliseconds. */
  readonly at: number;
  readonly sampledMs: number;
  readonly happened: Happened;
  readonly backlog: number;
  readonly oldestDueSeconds: number;
}

interface Sampled {
  readonly at: number;
  readonly readings: ReadonlyMap<string, Reading>;
}

export interface RatePoint {
  readonly at: number;
  /** Each a second. */
  readonly accepted: number;
  readonly sent: number;
  readonly delivered: number;
  readonly refused: number;
  /** Milliseconds, of the accepted calls; null where there was none. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly backlog: number;
  readonly oldestDueMs: number;
}

export interface RatesSettings {
  readonly clock: Clock;
  readonly read: () => Promise<readonly ProcessExposition[]>;
  readonly onFailed: (cause: unknown) => void;
}

export class Rates {
  readonly #settings: RatesSettings;
  /** At most `RATES_MINUTES_KEPT`, the newest. */
  readonly #minutes: Minute[] = [];
  #last: Sampled | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #sampling = false;

  constructor(settings: RatesSettings) {
    this.#settings = settings;
  }

  /** The points that there are; sampling goes on for a while after each call. */
  points(): { readonly since: number | null; readonly points: readonly RatePoint[] } {
    const { clock } = this.#settings;
    this.#askedAt = clock.monotonic();
    this.#forget(clock.now());
    if (!this.#sampling) {
      this.#sampling = true;
      void this.#sample();
    }
    return { since: this.#minutes[0]?.at ?? null, points: this.#minutes.map(pointOf) };
  }

  async #sample(): Promise<void> {
    const { clock, read, onFailed } = this.#settings;
    if (clock.monotonic() - this.#askedAt > RATES_ASKED_MS) {
      this.#sampling = false;
      this.#last = null;
      return;
    }
    try {
      const expositions = await read();
      const readings = expositions.map((each) => [each.processId, readingOf(each)] as const);
      this.#take({ at: clock.now(), readings: new Map(readings) });
    } catch (cause) {
      onFailed(cause);
    }
    clock.after(RATES_SAMPLE_MS, () => void this.#sample());
  }

  /** A process that was not there before is counted from its first reading on. */
  #take(now: Sampled): void {
    const before = this.#last;
    this.#last = now;
    const all = [...now.readings.values()];
    const happened = [...now.readings].map(([processId, reading]) => {
      const known = before?.readings.get(processId);
      return known ? happenedBetween(known, reading) : NOTHING;
    });
    this.#add({
      at: Math.floor(now.at / MINUTE_MS) * MINUTE_MS,
      sampledMs: before ? Math.max(0, now.at - before.at) : 0,
      happened: happened.reduce(together, NOTHING),
      backlog: all.reduce((sum, { backlog }) => sum + backlog, 0),
      oldestDueSeconds: Math.max(0, ...all.map(({ oldestDueSeconds }) => oldestDueSeconds)),
    });
    this.#forget(now.at);
  }

  /** A minute shows the most that has waited in it. */
  #add(sample: Minute): void {
    const last = this.#minutes.at(-1);
    if (last?.at !== sample.at) {
      this.#minutes.push(sample);
      return;
    }
    this.#minutes[this.#minutes.length - 1] = {
      at: last.at,
      sampledMs: last.sampledMs + sample.sampledMs,
      happened: together(last.happened, sample.happened),
      backlog: Math.max(last.backlog, sample.backlog),
      oldestDueSeconds: Math.max(last.oldestDueSeconds, sample.oldestDueSeconds),
    };
  }

  #forget(now: number): void {
    const from = now - RATES_MINUTES_KEPT * MINUTE_MS;
    while ((this.#minutes[0]?.at ?? now) < from) this.#minutes.shift();
  }
}

function pointOf({ at, sampledMs, happened, backlog, oldestDueSeconds }: Minute): RatePoint {
  const perSecond = (count: number) => rounded(sampledMs === 0 ? 0 : (count * MS) / sampledMs);
  const within = (share: number) => {
    const seconds = quantile(happened.durations, share);
    return seconds === null ? null : rounded(seconds * MS);
  };
  return {
    at,
    accepted: perSecond(happened.accepted),
    sent: perSecond(happened.sent),
    delivered: perSecond(happened.delivered),
    refused: perSecond(happened.refused),
    p50: within(0.5),
    p99: within(0.99),
    backlog,
    oldestDueMs: Math.round(oldestDueSeconds * MS),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
