/**
 * Samples of a process's metrics, in Prometheus' text format, and what has happened between two
 * readings of them. Pure functions.
 *
 * 1. Counters only rise: a process whose counter fell has begun anew, and counts from zero. No
 *    increase is negative.
 */

const SAMPLE = /^(?<series>(?<name>[a-z]\w*)(?:\{(?<labels>.*)\})?) (?<value>\S+)$/;
const LABEL = /(\w+)="([^"]*)"/g;
/** Gauges of Node.js have such names too. */
const COUNTER = /^(?:recado_\w+_(?:total|count|sum|bucket)|process_cpu_seconds_total)$/;

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples of one process by name and labels, as the text has them. */
export type Series = ReadonlyMap<string, Sample>;

export function seriesIn(text: string): Series {
  const series = new Map<string, Sample>();
  for (const line of text.split('\n')) {
    const { series: key = '', name, labels = '', value } = SAMPLE.exec(line)?.groups ?? {};
    if (name === undefined) continue;
    const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text]);
    series.set(key, { name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return series;
}

/** Increases of the counters between two readings of one process. */
export function increases(before: Series, after: Series): readonly Sample[] {
  const counters = [...after].filter(([, { name }]) => COUNTER.test(name));
  const valueBefore = (key: string) => before.get(key)?.value ?? 0;
  const beganAnew = counters.some(([key, { value }]) => value < valueBefore(key));
  if (beganAnew) return counters.map(([, sample]) => sample);
  return counters.map(([key, sample]) => ({ ...sample, value: sample.value - valueBefore(key) }));
}

/** Calls by upper bound in seconds, `+Inf` as Infinity; each bound counts those below it too. */
export type Buckets = ReadonlyMap<number, number>;

export function boundOf({ le }: Sample['labels']): number {
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
}

/**
 * Seconds within which that share of the calls was answered, interpolated within its bucket as
 * Prometheus does; null without calls. Beyond the last bound, that bound.
 */
export function quantile(durations: Buckets, share: number): number | null {
  const ascending = [...durations].toSorted(([a], [b]) => a - b);
  const total = ascending.at(-1)?.[1] ?? 0;
  if (total === 0) return null;
  const rank = share * total;
  let [lower, below] = [0, 0];
  for (const [bound, count] of ascending) {
    if (count >= rank) {
      if (!Number.isFinite(bound) || count === below) return lower;
      return lower + (bound - lower) * ((rank - below) / (count - below));
    }
    [lower, below] = [bound, count];
  }
  return lower;
}
