/**
 * Delay of the event loop since the last read, under the names that dashboards know. It takes one
 * sample per iteration of the loop. An idle process is not woken, and no pause is too short to be
 * seen. The client library's own timer wakes the process for every sample. It also reports a second
 * between two samples as a delay of a second.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from '@prometheus-io/client';

const NAME = 'nodejs_eventloop_lag';
const NANOSECONDS = 1e9;
/** A Node.js without samples per iteration samples by a timer. */
const SAMPLING = { samplePerIteration: true, resolution: 1_000 };
/** For the library's timer, which cannot be left out: it never fires. */
export const NEVER_MS = 2 ** 31 - 1;

type Reading = (delays: IntervalHistogram) => number;

const READINGS: readonly (readonly [what: string, read: Reading])[] = [
  ['min', ({ min }) => min],
  ['max', ({ max }) => max],
  ['mean', ({ mean }) => mean],
  ['stddev', ({ stddev }) => stddev],
  ['p50', (delays) => delays.percentile(50)],
  ['p90', (delays) => delays.percentile(90)],
  ['p99', (delays) => delays.percentile(99)],
];

/** In place of the library's gauges of the same names. */
export function watchLoopDelay(registry: Registry): void {
  const delays = monitorEventLoopDelay(SAMPLING);
  delays.enable();
  const [last] = READINGS.at(-1) ?? [];
  for (const [what, read] of READINGS) {
    const name = `${NAME}_${what}_seconds`;
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: `The event loop's delay: ${what}, since it was last read.`,
      registers: [registry],
      collect() {
        this.set(delays.count > 0 ? read(delays) / NANOSECONDS : 0);
        // They are read in the order of their registration.
        if (what === last) delays.reset();
      },
    });
  }
}
