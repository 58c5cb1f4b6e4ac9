/**
 * Metrics of a process: the port that the code feeds, and the text that Prometheus reads. All
 * metrics of the service begin with `recado_`. Metrics of the Node.js process keep the names that
 * dashboards know (`process_…`, `nodejs_…`).
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Metrics } from '../../../shared/ports/metrics.ts';
import { VERSION } from '../../../shared/version.ts';
import type { MediaUsage } from '../media/media.ts';
import { watchEventStreams } from './event-streams.ts';
import { NEVER_MS, watchLoopDelay } from './loop-delay.ts';
import { watchMedia } from './media.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const WRITES = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const MS = 1_000;
/** A sample wakes the process. */
const LOOP_SAMPLING = {
  eventLoopMonitoringPrecision: NEVER_MS,
  eventLoopUtilizationTimeout: 5_000,
};

/** Values that only a scrape reads. */
export interface Gauges {
  /** Mailboxes in memory, and the asks that wait in them or are in progress. */
  mailboxes(): { readonly count: number; readonly depth: number };
  /** Partitions held, by kind. */
  partitions(): ReadonlyMap<string, number>;
  /** Calls that this process may admit without the owners of their organizations. */
  slices(): number;
  /** How long the oldest entry of each agenda has been waiting, milliseconds; 0 for none. */
  agendas(): Promise<ReadonlyMap<string, number>>;
  /** Files in transit. */
  media(): MediaUsage;
  /** Channels whose number may not begin conversations now. */
  restricted(): number;
}

export interface ProcessMetrics extends Metrics {
  /** From now on these are read at every scrape. */
  watch(gauges: Gauges): void;
  /** Number of open event streams, read at every scrape. */
  watchEventStreams(open: () => number): void;
  /** Everything, in Prometheus' text format. */
  text(): Promise<string>;
}

type Counters = Readonly<
  Record<
    'hedged' | 'shed' | 'events' | 'followed' | 'takeOvers' | 'takenOver' | 'leasesLost',
    Counter
  > &
    Record<'repeats' | 'failed', Counter<'to'>>
>;

interface HistogramOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  /** Upper bounds, ascending; the last, infinite one is not among them. */
  readonly bounds: readonly number[];
}

function histogram<Label extends string = never>(
  registry: Registry,
  { name, help, labels = [], bounds }: HistogramOptions<Label>,
): Histogram<Label> {
  const made = new Histogram({
    ...{ name, help, labelNames: [...labels], buckets: [...bounds] },
    registers: [registry],
  });
  // Without labels it would have rows of zeros in every role, also where nothing is observed.
  made.reset();
  return made;
}

function durationsOf(registry: Registry) {
  const duration = <Label extends string = never>(
    what: string,
    help: string,
    labels: readonly Label[] = [],
  ) =>
    histogram(registry, { name: `recado_${what}_duration_seconds`, help, labels, bounds: SECONDS });
  return {
    request: duration('request', 'HTTP requests by operation and status (0: the caller left).', [
      'operation',
      'status',
    ]),
    ask: duration('ask', 'Asks over the bus, from the first sending to the answer.', ['to']),
    turn: duration('turn', 'Turns of actors, their commit included.', ['kind', 'status']),
    commit: duration('commit', 'Grouped journaled writes.'),
    send: duration('send', 'Messages handed to a network, by what it said.', [
      'provider',
      'outcome',
    ]),
    change: duration('organization_change', 'From a commit until all processes know of it.'),
    release: duration('partition_release', 'Partitions given away, until others may own them.'),
    attempt: duration('delivery_attempt', 'POSTs of deliveries, by what came of them.', [
      'outcome',
    ]),
  };
}

function countersOf(registry: Registry): Counters {
  const registers = [registry];
  const counter = (name: string, help: string) =>
    new Counter({ name: `recado_${name}_total`, help, registers });
  const askCounter = (name: string, help: string) =>
    new Counter({ name: `recado_${name}_total`, help, labelNames: ['to'], registers });
  return {
    repeats: askCounter('ask_repeats', 'Asks that were sent once more.'),
    failed: askCounter('asks_failed', 'Asks without an answer before their deadline.'),
    hedged: counter('queries_hedged', 'Queries asked of a second process for want of an answer.'),
    shed: counter('requests_shed', 'Requests refused at once for want of capacity.'),
    events: counter('events', 'Events recorded for whoever subscribes to them.'),
    followed: counter('deals_followed', 'Deals asked to follow a stage that was removed.'),
    takeOvers: counter('take_overs', 'Times that partitions of a dead member were taken.'),
    takenOver: counter('partitions_taken_over', 'Partitions taken from dead members.'),
    leasesLost: counter('leases_lost', 'Times that this process lost its lease.'),
  };
}

/** @param processId the process's id on the bus */
export function createMetrics(processId: string): ProcessMetrics {
  const registry = new Registry();
  const durations = durationsOf(registry);
  const counters = countersOf(registry);
  const writes = histogram(registry, {
    name: 'recado_commit_writes',
    help: 'Writes that travelled in one grouped write.',
    bounds: WRITES,
  });
  new Gauge({
    name: 'recado_process_info',
    help: 'Always 1: which process this is.',
    labelNames: ['id', 'version'],
    registers: [registry],
  }).set({ id: processId, version: VERSION }, 1);
  collectDefaultMetrics({ register: registry, ...LOOP_SAMPLING });
  watchLoopDelay(registry);
  return {
    request: (operation, status, ms) => {
      durations.request.observe({ operation: operation || 'none', status }, ms / MS);
    },
    shed: () => counters.shed.inc(),
    ask: (kind, ms, repeats) => {
      const to = kind || 'query';
      durations.ask.observe({ to }, ms / MS);
      if (repeats > 0) counters.repeats.inc({ to }, repeats);
    },
    askFailed: (kind) => counters.failed.inc({ to: kind || 'query' }),
    hedged: () => counters.hedged.inc(),
    turn: (kind, status, ms) => durations.turn.observe({ kind, status }, ms / MS),
    commit: (count, ms) => {
      durations.commit.observe(ms / MS);
      writes.observe(count);
    },
    send: (provider, outcome, ms) => durations.send.observe({ provider, outcome }, ms / MS),
    attempt: (outcome, ms) => durations.attempt.observe({ outcome }, ms / MS),
    events: (count) => counters.events.inc(count),
    dealsFollowed: (count) => counters.followed.inc(count),
    organizationChange: (ms) => durations.change.observe(ms / MS),
    released: (ms) => durations.release.observe(ms / MS),
    takeOver: (partitions) => {
      counters.takeOvers.inc();
      counters.takenOver.inc(partitions);
    },
    leaseLost: () => counters.leasesLost.inc(),
    watch: (gauges) => watch(registry, gauges),
    watchEventStreams: (open) => watchEventStreams(registry, open),
    text: () => registry.metrics(),
  };
}

function watch(registry: Registry, gauges: Gauges): void {
  const registers = [registry];
  watchMedia(registry, () => gauges.media());
  new Gauge({
    name: 'recado_mailboxes',
    help: 'Mailboxes of actors in memory.',
    registers,
    collect() {
      this.set(gauges.mailboxes().count);
    },
  });
  new Gauge({
    name: 'recado_mailbox_depth',
    help: 'Asks that wait in mailboxes or are under way.',
    registers,
    collect() {
      this.set(gauges.mailboxes().depth);
    },
  });
  new Gauge({
    name: 'recado_partitions',
    help: 'Partitions held.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of gauges.partitions()) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: 'recado_admission_slice_calls',
    help: 'Calls counted in rate windows, for this process to admit.',
    registers,
    collect() {
      this.set(gauges.slices());
    },
  });
  new Gauge({
    name: 'recado_channels_restricted',
    help: 'Channels whose network lets the number begin no conversations now.',
    registers,
    collect() {
      this.set(gauges.restricted());
    },
  });
  new Gauge({
    name: 'recado_agenda_oldest_seconds',
    help: 'How long the oldest entry of the agenda has been waiting.',
    labelNames: ['agenda'],
    registers,
    async collect() {
      const agendas = await gauges.agendas();
      this.reset();
      for (const [agenda, ms] of agendas) this.set({ agenda }, ms / MS);
    },
  });
}
