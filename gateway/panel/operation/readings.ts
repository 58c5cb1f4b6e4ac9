/**
 * Readings of the processes' metrics, in Prometheus' text format, and what has happened between two
 * of them. Pure functions: counters only rise, and a process that began anew counts from zero.
 */
import { type Buckets, boundOf, type Sample, seriesIn } from '../../../shared/metrics/samples.ts';
import type { ProcessExposition } from '../../../shared/panel/operation.ts';

/** Operations whose success accepts a message, or what a form has posted. */
const ACCEPTING: ReadonlySet<string> = new Set(['sendMessage', 'receiveInbound']);

export interface Counts {
  readonly accepted: number;
  readonly sent: number;
  readonly delivered: number;
  readonly refused: number;
}

/** One process at one moment. */
export interface Reading extends Counts {
  /** Of the accepted calls. */
  readonly durations: Buckets;
  /** Asks that wait in mailboxes or are in progress. */
  readonly backlog: number;
  readonly oldestDueSeconds: number;
}

export function readingOf({ text }: Pick<ProcessExposition, 'text'>): Reading {
  const counts = { accepted: 0, sent: 0, delivered: 0, refused: 0 };
  const durations = new Map<number, number>();
  let backlog = 0;
  let oldestDueSeconds = 0;
  for (const { name, labels, value } of seriesIn(text).values()) {
    const counted = COUNTERS[name]?.(labels) ?? null;
    if (counted) counts[counted] += value;
    if (name === 'recado_request_duration_seconds_bucket' && isAccepted(labels)) {
      const bound = boundOf(labels);
      durations.set(bound, (durations.get(bound) ?? 0) + value);
    }
    if (name === 'recado_mailbox_depth') backlog += value;
    if (name === 'recado_agenda_oldest_seconds') {
      oldestDueSeconds = Math.max(oldestDueSeconds, value);
    }
  }
  return { ...counts, durations, backlog, oldestDueSeconds };
}

type Labels = Sample['labels'];

/** Name of the count that a counter adds to, by its labels. */
const COUNTERS: Readonly<Record<string, (labels: Labels) => keyof Counts | null>> = {
  recado_request_duration_seconds_count: (labels) => {
    if (isAccepted(labels)) return 'accepted';
    return Number(labels.status) >= 400 ? 'refused' : null;
  },
  recado_send_duration_seconds_count: ({ outcome }) => (outcome === 'accepted' ? 'sent' : null),
  recado_delivery_attempt_duration_seconds_count: ({ outcome }) =>
    outcome === '2xx' ? 'delivered' : null,
};

function isAccepted({ operation = '', status = '' }: Labels): boolean {
  return ACCEPTING.has(operation) && status.startsWith('2');
}

export interface Happened extends Counts {
  readonly durations: Buckets;
}

export const NOTHING: Happened = {
  ...{ accepted: 0, sent: 0, delivered: 0, refused: 0 },
  durations: new Map(),
};

/** Between two readings of one process. */
export function happenedBetween(before: Reading, after: Reading): Happened {
  const beganAnew = COUNTED.some((name) => after[name] < before[name]);
  const rest = (now: number, then: number) => (beganAnew ? now : now - then);
  const durations = [...after.durations].map(
    ([bound, now]) => [bound, rest(now, before.durations.get(bound) ?? 0)] as const,
  );
  return { ...countsOf((name) => rest(after[name], before[name])), durations: new Map(durations) };
}

export function together(one: Happened, other: Happened): Happened {
  const bounds = new Set([...one.durations.keys(), ...other.durations.keys()]);
  const durations = [...bounds].map(
    (bound) =>
      [bound, (one.durations.get(bound) ?? 0) + (other.durations.get(bound) ?? 0)] as const,
  );
  return { ...countsOf((name) => one[name] + other[name]), durations: new Map(durations) };
}

const COUNTED = ['accepted', 'sent', 'delivered', 'refused'] as const;

function countsOf(count: (name: keyof Counts) => number): Counts {
  const [accepted, sent, delivered, refused] = COUNTED.map(count);
  return {
    ...{ accepted: accepted ?? 0, sent: sent ?? 0 },
    ...{ delivered: delivered ?? 0, refused: refused ?? 0 },
  };
}
