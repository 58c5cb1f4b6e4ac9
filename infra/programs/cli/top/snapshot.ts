/**
 * One line of `recado top --json`: what happened between two readings, and what is now. Pure.
 *
 * 1. A process counts from its second reading on, and one that began anew from zero: no rate is
 *    negative.
 * 2. Rates are a second, durations milliseconds unless their name says otherwise.
 */
import { PARTITIONS } from '../../../../shared/limits.ts';
import {
  type Buckets,
  boundOf,
  increases,
  quantile,
  type Sample,
} from '../../../../shared/metrics/samples.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';
import type { Reading, ReadProcess, Report } from './reading.ts';

const MS = 1_000;
const PERCENT = 100;
const SHOWN = 20;
const INBOUND: ReadonlySet<string> = new Set([
  'receiveCloudWebhook',
  'receiveWebWebhook',
  'receiveInbound',
]);
/** They last as long as their reader stays. */
const STREAMS: ReadonlySet<string> = new Set(['streamEvents', 'listenLive']);

export interface Quantiles {
  /** Null where there was none in the interval. */
  readonly p50: number | null;
  readonly p99: number | null;
}

export interface ProcessRow {
  readonly role: string;
  readonly id: string;
  readonly pid: number | null;
  /** Of one core; null in a process's first interval. */
  readonly cpuPercent: number | null;
  readonly memoryBytes: number;
  /** The event loop's delay, since anyone last read it. */
  readonly loopDelayP99: number;
  readonly requests: number | null;
  readonly turns: number | null;
  /** Of all partitions. */
  readonly sharePercent: number;
  /** Asks that wait in mailboxes, or are in progress. */
  readonly depth: number;
}

interface Hot {
  readonly turns: number;
  /** Turns under way on average. */
  readonly busy: number;
}

export interface HotPartition extends Hot {
  readonly partition: string;
  /** Id of its process. */
  readonly process: string;
}

export interface HotOrganization extends Hot {
  readonly id: string;
  readonly ref: string | null;
}

export interface Snapshot {
  /** ISO 8601. */
  readonly at: string;
  /** Length of the interval; 0 where there was no reading before. */
  readonly seconds: number;
  /** `PUBLIC_URL`; null where no actors process tells. */
  readonly url: string | null;
  readonly missing: readonly string[];
  readonly silent: readonly string[];
  readonly requests: {
    readonly '2xx': number;
    readonly '4xx': number;
    readonly '5xx': number;
    /** The caller went away. */
    readonly left: number;
    readonly shed: number;
  };
  readonly rates: {
    readonly accepted: number;
    readonly sent: number;
    readonly notSent: number;
    readonly inbound: number;
    readonly delivered: number;
    readonly notDelivered: number;
    readonly events: number;
  };
  readonly latencies: Readonly<Record<'requests' | 'asks' | 'turns' | 'commits', Quantiles>>;
  /** Null where nobody tells. */
  readonly backlog:
    | readonly {
        readonly agenda: string;
        readonly waiting: number;
        readonly more: boolean;
        readonly oldestDueSeconds: number;
      }[]
    | null;
  readonly processes: readonly ProcessRow[];
  /** Of the last 5 to 10 s, the most turns first. */
  readonly partitions: readonly HotPartition[];
  readonly organizations: readonly HotOrganization[];
}

type Labels = Sample['labels'];
type Chosen = (labels: Labels) => boolean;

const all: Chosen = () => true;

function sum(samples: Iterable<Sample>, name: string, chosen: Chosen = all): number {
  let total = 0;
  for (const sample of samples) {
    if (sample.name === name && chosen(sample.labels)) total += sample.value;
  }
  return total;
}

/** @param refs of organizations, by id */
export function snapshotOf(
  before: Reading | null,
  now: Reading,
  refs: ReadonlyMap<string, string>,
): Snapshot {
  const seconds = before === null ? 0 : Math.max(0, now.readAt - before.readAt) / MS;
  const rows = [...now.processes.values()].map((process) => {
    const known = before?.processes.get(process.id);
    return { process, happened: known ? increases(known.series, process.series) : null };
  });
  const happened = rows.flatMap((row) => row.happened ?? []);
  const rate = (name: string, chosen?: Chosen) => perSecond(sum(happened, name, chosen), seconds);
  return {
    at: new Date(now.at).toISOString(),
    seconds: rounded(seconds),
    url: now.reports[0]?.publicUrl ?? null,
    ...{ missing: now.missing, silent: now.silent },
    requests: requestsOf(rate),
    rates: ratesOf(rate),
    latencies: {
      requests: quantiles(happened, 'request', ({ operation = '' }) => !STREAMS.has(operation)),
      asks: quantiles(happened, 'ask'),
      turns: quantiles(happened, 'turn'),
      commits: quantiles(happened, 'commit'),
    },
    backlog:
      now.agendas?.map(({ agenda, waiting, more, oldestDueMs }) => {
        return { agenda, waiting, more, oldestDueSeconds: rounded(oldestDueMs / MS) };
      }) ?? null,
    processes: rows
      .map((row) => processRow(row.process, row.happened, seconds))
      .toSorted((a, b) => (`${a.role} ${a.id}` < `${b.role} ${b.id}` ? -1 : 1)),
    partitions: hotPartitions(now.reports),
    organizations: hotOrganizations(now.reports, refs),
  };
}

/** Ids of the organizations that a snapshot of the reading names. */
export function organizationsIn({ reports }: Pick<Reading, 'reports'>): readonly string[] {
  return hotOrganizations(reports, new Map()).map(({ id }) => id);
}

type Rate = (name: string, chosen?: Chosen) => number;

function requestsOf(rate: Rate): Snapshot['requests'] {
  const ofClass = (first: string) =>
    rate('recado_request_duration_seconds_count', ({ status = '' }) => status.startsWith(first));
  return {
    ...{ '2xx': ofClass('2'), '4xx': ofClass('4'), '5xx': ofClass('5'), left: ofClass('0') },
    shed: rate('recado_requests_shed_total'),
  };
}

function ratesOf(rate: Rate): Snapshot['rates'] {
  const isSend: Chosen = ({ operation, status }) =>
    operation === 'sendMessage' && status?.startsWith('2') === true;
  const isInbound: Chosen = ({ operation = '', status }) =>
    INBOUND.has(operation) && status?.startsWith('2') === true;
  const isAccepted: Chosen = ({ outcome }) => outcome === 'accepted';
  const isDelivered: Chosen = ({ outcome }) => outcome === '2xx';
  const requests = 'recado_request_duration_seconds_count';
  const sends = 'recado_send_duration_seconds_count';
  const attempts = 'recado_delivery_attempt_duration_seconds_count';
  return {
    accepted: rate(requests, isSend),
    sent: rate(sends, isAccepted),
    notSent: rate(sends, (labels) => !isAccepted(labels)),
    inbound: rate(requests, isInbound),
    delivered: rate(attempts, isDelivered),
    notDelivered: rate(attempts, (labels) => !isDelivered(labels)),
    events: rate('recado_events_total'),
  };
}

function quantiles(happened: readonly Sample[], what: string, chosen: Chosen = all): Quantiles {
  const name = `recado_${what}_duration_seconds_bucket`;
  const durations = new Map<number, number>();
  for (const { name: own, labels, value } of happened) {
    if (own !== name || !chosen(labels)) continue;
    const bound = boundOf(labels);
    durations.set(bound, (durations.get(bound) ?? 0) + value);
  }
  return { p50: msWithin(durations, 0.5), p99: msWithin(durations, 0.99) };
}

function msWithin(durations: Buckets, share: number): number | null {
  const seconds = quantile(durations, share);
  return seconds === null ? null : rounded(seconds * MS);
}

function processRow(
  { role, id, pid, series }: ReadProcess,
  happened: readonly Sample[] | null,
  seconds: number,
): ProcessRow {
  const gauge = (name: string) => sum(series.values(), name);
  const rate = (name: string) => happened && perSecond(sum(happened, name), seconds);
  const cpu = rate('process_cpu_seconds_total');
  return {
    ...{ role, id, pid },
    cpuPercent: cpu === null ? null : rounded(cpu * PERCENT),
    memoryBytes: gauge('process_resident_memory_bytes'),
    loopDelayP99: rounded(gauge('nodejs_eventloop_lag_p99_seconds') * MS),
    requests: rate('recado_request_duration_seconds_count'),
    turns: rate('recado_turn_duration_seconds_count'),
    sharePercent: rounded(
      (PERCENT * gauge('recado_partitions')) / (PARTITIONS * ACTOR_KINDS.length),
    ),
    depth: gauge('recado_mailbox_depth'),
  };
}

function hotPartitions(reports: readonly Report[]): readonly HotPartition[] {
  return reports
    .flatMap(({ id, busiest }) =>
      busiest.partitions.map(({ key, turnsPerSecond: turns, busy }) => {
        return { partition: key, process: id, turns, busy };
      }),
    )
    .toSorted((a, b) => b.turns - a.turns)
    .slice(0, SHOWN);
}

/** An organization's conversations are in many processes. */
function hotOrganizations(
  reports: readonly Report[],
  refs: ReadonlyMap<string, string>,
): readonly HotOrganization[] {
  const sums = new Map<string, Hot>();
  for (const { key, turnsPerSecond, busy } of reports.flatMap(
    (each) => each.busiest.organizations,
  )) {
    const known = sums.get(key) ?? { turns: 0, busy: 0 };
    sums.set(key, { turns: known.turns + turnsPerSecond, busy: known.busy + busy });
  }
  return [...sums]
    .map(([id, { turns, busy }]) => {
      return { id, ref: refs.get(id) ?? null, turns: rounded(turns), busy: rounded(busy) };
    })
    .toSorted((a, b) => b.turns - a.turns)
    .slice(0, SHOWN);
}

function perSecond(count: number, seconds: number): number {
  return seconds > 0 ? rounded(count / seconds) : 0;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
