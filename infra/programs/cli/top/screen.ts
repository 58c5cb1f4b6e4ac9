/** `recado top` for people: a snapshot as lines. Pure. */
import { visible } from '../output/visible.ts';
import { type Block, cutTo, flow, type Line, type Tone, table } from './lines.ts';
import type { HotOrganization, HotPartition, ProcessRow, Quantiles, Snapshot } from './snapshot.ts';

/** Shown of each list in a window of 24 rows; a larger one shows more. */
const HOT_SHOWN = 5;
const PROCESSES_SHOWN = 4;
const ROWS = 24;
/** Of each list where there is no window. */
const HOT_PRINTED = 10;
const MIB = 1024 * 1024;
/** The alarm of docs/operations.md, and its half. */
const OLDEST_BAD_SECONDS = 300;
const OLDEST_WARN_SECONDS = 30;
const CPU_WARN_PERCENT = 85;
const DELAY_WARN_MS = 100;

export interface Window {
  readonly columns: number;
  /** Null: as many as there are. */
  readonly rows: number | null;
}

type Named = readonly [name: string, value: number | null, tone?: Tone];

/** At most as many lines as the window has rows, none wider than it. */
export function screenOf(snapshot: Snapshot, { columns, rows }: Window): readonly Line[] {
  const spare = rows === null ? Number.POSITIVE_INFINITY : Math.max(0, rows - ROWS);
  const most = rows === null ? HOT_PRINTED : HOT_SHOWN + spare;
  const blocks = [
    ...figures(snapshot),
    organizationTable(snapshot.organizations.slice(0, most)),
    processTable(snapshot.processes, PROCESSES_SHOWN + spare),
    partitionTable(snapshot.partitions.slice(0, most)),
  ];
  const lines = [...head(snapshot), [], ...flow(blocks, columns)];
  return (rows === null ? lines : lines.slice(0, rows)).map((line) => cutTo(line, columns));
}

function head(snapshot: Snapshot): readonly Line[] {
  const { at, url, seconds } = snapshot;
  const time = `${at.slice(0, 19).replace('T', ' ')} UTC`;
  const over = seconds > 0 ? `  over ${seconds.toFixed(1)} s` : '';
  return [
    [{ text: 'recado top', tone: 'title' }, { text: `  ${visible(url ?? '-')}  ${time}${over}` }],
    [...stateOf(snapshot), { text: '  ' }, ...rolesOf(snapshot)],
  ];
}

function rolesOf({ processes }: Snapshot): Line {
  const roles = [...Map.groupBy(processes, ({ role }) => role)];
  if (roles.length === 0) return [{ text: 'no process answers', tone: 'bad' }];
  return [{ text: visible(roles.map(([role, { length }]) => `${role} ${length}`).join('  ')) }];
}

/** What is not as it should be, as `/readyz` tells. */
function stateOf({ missing, silent }: Snapshot): Line {
  if (missing.length === 0 && silent.length === 0) return [{ text: 'ready', tone: 'good' }];
  const parts = [
    ...(missing.length > 0 ? [`NOT READY, missing: ${missing.join(', ')}`] : []),
    ...(silent.length > 0 ? [`does not answer: ${silent.join(', ')}`] : []),
  ];
  return [{ text: visible(parts.join('; ')), tone: 'bad' }];
}

function figures({ seconds, requests, rates, latencies, backlog }: Snapshot): readonly Block[] {
  // Without an interval there is no rate.
  const rows = (named: readonly Named[]): readonly Named[] =>
    seconds > 0 ? named : named.map(([name]) => [name, null]);
  return [
    rateTable(
      'REQUESTS',
      rows([
        ['2xx', requests['2xx']],
        ['4xx', requests['4xx'], 'warn'],
        ['5xx', requests['5xx'], 'bad'],
        ['shed', requests.shed, 'bad'],
        ['left', requests.left, 'warn'],
      ]),
    ),
    rateTable(
      'MESSAGES',
      rows([
        ['accepted', rates.accepted],
        ['to network', rates.sent],
        ['not sent', rates.notSent, 'warn'],
        ['inbound', rates.inbound],
        ['events', rates.events],
        ['delivered', rates.delivered],
        ['not delivered', rates.notDelivered, 'warn'],
      ]),
    ),
    table<readonly [string, Quantiles]>(
      [
        { head: 'LATENCY ms', text: ([name]) => name, left: true },
        { head: 'p50', text: ([, { p50 }]) => number(p50) },
        { head: 'p99', text: ([, { p99 }]) => number(p99) },
      ],
      Object.entries(latencies),
    ),
    table(
      [
        { head: 'BACKLOG', text: ({ agenda }) => agenda, left: true },
        { head: 'waiting', text: ({ waiting, more }) => `${more ? '>' : ''}${waiting}` },
        {
          head: 'oldest s',
          text: ({ oldestDueSeconds }) => number(oldestDueSeconds),
          tone: ({ oldestDueSeconds }) => ageTone(oldestDueSeconds),
        },
      ],
      backlog ?? [],
    ),
  ];
}

function rateTable(title: string, rows: readonly Named[]): Block {
  return table(
    [
      { head: title, text: ([name]) => name, left: true },
      {
        head: '/s',
        text: ([, value]) => number(value),
        tone: ([, value, tone]) => ((value ?? 0) > 0 ? tone : undefined),
      },
    ],
    rows,
  );
}

function ageTone(seconds: number): Tone | undefined {
  if (seconds > OLDEST_BAD_SECONDS) return 'bad';
  return seconds > OLDEST_WARN_SECONDS ? 'warn' : undefined;
}

/** @param most of these processes are shown, and how many more there are */
function processTable(processes: readonly ProcessRow[], most: number): Block {
  const shown = processes.length <= most ? processes : processes.slice(0, most - 1);
  const block = table<ProcessRow>(
    [
      { head: 'PROCESSES', text: ({ id }) => id, left: true },
      { head: 'pid', text: ({ pid }) => (pid === null ? '-' : String(pid)) },
      {
        head: 'cpu %',
        text: ({ cpuPercent }) => number(cpuPercent),
        tone: ({ cpuPercent }) => ((cpuPercent ?? 0) > CPU_WARN_PERCENT ? 'warn' : undefined),
      },
      { head: 'MiB', text: ({ memoryBytes }) => String(Math.round(memoryBytes / MIB)) },
      {
        head: 'lag p99',
        text: ({ loopDelayP99 }) => number(loopDelayP99),
        tone: ({ loopDelayP99 }) => (loopDelayP99 > DELAY_WARN_MS ? 'warn' : undefined),
      },
      { head: 'req/s', text: ({ role, requests }) => (role === 'actors' ? '-' : number(requests)) },
      { head: 'turns/s', text: ({ role, turns }) => (role === 'actors' ? number(turns) : '-') },
      {
        head: 'share %',
        text: ({ role, sharePercent }) => (role === 'actors' ? number(sharePercent) : '-'),
        spare: true,
      },
      {
        head: 'depth',
        text: ({ role, depth }) => (role === 'actors' ? String(depth) : '-'),
        spare: true,
      },
    ],
    shown,
  );
  const more = processes.length - shown.length;
  if (more === 0) return block;
  const rest: Line = [{ text: `and ${more} more`, tone: 'dim' }];
  return { ...block, lines: (width) => [...block.lines(width), rest] };
}

function organizationTable(organizations: readonly HotOrganization[]): Block {
  return table<HotOrganization>(
    [
      { head: 'ORGANIZATIONS', text: ({ ref, id }) => ref ?? id, left: true },
      { head: 'turns/s', text: ({ turns }) => number(turns) },
      { head: 'busy', text: ({ busy }) => number(busy) },
      { head: 'id', text: ({ id }) => id, left: true, spare: true },
    ],
    organizations,
  );
}

function partitionTable(partitions: readonly HotPartition[]): Block {
  return table<HotPartition>(
    [
      { head: 'PARTITIONS', text: ({ partition }) => partition, left: true },
      { head: 'turns/s', text: ({ turns }) => number(turns) },
      { head: 'busy', text: ({ busy }) => number(busy), spare: true },
      { head: 'process', text: ({ process }) => process, left: true, spare: true },
    ],
    partitions,
  );
}

/** Two or three figures are read at a glance. */
function number(value: number | null): string {
  if (value === null) return '-';
  return value < 100 ? value.toFixed(1) : String(Math.round(value));
}
