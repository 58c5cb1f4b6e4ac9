/**
 * Lists beside a stopped process: an organization lists its conversations while one of four actors
 * processes, which owns nothing of it, is stopped. It is in NATS's queue groups and in the
 * membership until its lease has ended.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { ask, type Side } from '../growth/sides.ts';
import { organizationsFile } from '../organization.ts';
import { median, quantile, round } from '../rounds.ts';
import { type BenchService, startService } from '../service.ts';
import type { Cell, Column, Context, Result, Suite } from '../suite.ts';

const REF = 'lists';
const PROCESSES = 4;
const CONVERSATIONS = 300;
const CALLS = 200;
const AT_ONCE = 20;
const PATH = '/api/v1/conversations';
const POLL_MS = 500;
const TIMEOUT_MS = 60_000;

export const lists: Suite = {
  name: 'lists',
  about: 'lists of an organization while an actors process of others is stopped',
  run,
};

const RangesSchema = v.array(v.object({ from: v.number(), to: v.number() }));
type Ranges = v.InferOutput<typeof RangesSchema>;

const ProcessesSchema = v.object({
  processes: v.array(
    v.object({
      pid: v.number(),
      partitions: v.record(v.string(), RangesSchema),
    }),
  ),
});
type Processes = v.InferOutput<typeof ProcessesSchema>['processes'];

interface Stage {
  readonly service: BenchService;
  readonly side: Side;
  readonly orgId: string;
}

interface Listed {
  /** Milliseconds, ascending. */
  readonly ms: readonly number[];
  /** Calls by status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly queries: number;
  readonly hedged: number;
}

async function run(context: Context): Promise<Result> {
  const { options, logProgress } = context;
  const settings = { FORMATION: `gateway=1,actors=${PROCESSES}` };
  const stage = await prepare(await startService(context, { settings }));
  await list(stage);
  logProgress('warm');
  const quiet: Listed[] = [];
  const beside: Listed[] = [];
  for (let at = 0; at < options.rounds; at++) {
    const pid = await stranger(stage);
    quiet.push(await list(stage));
    beside.push(await besideStopped(pid, stage));
    logProgress(
      `round ${at + 1}: ${[quiet, beside].map((each) => slowest(each.slice(-1))).join(' and ')} ms at most`,
    );
  }
  return {
    tables: [
      {
        title: `GET ${PATH} beside a stopped process`,
        columns: COLUMNS,
        rows: [rowOf('all run', quiet), rowOf('one of four is stopped', beside)],
      },
    ],
    notes: [
      `${CALLS} calls a round, one after the other, of an organization with ${CONVERSATIONS} conversations`,
      'the stopped process owns neither the organization nor its conversations',
    ],
  };
}

async function prepare(service: BenchService): Promise<Stage> {
  const file = organizationsFile([{ ref: REF, channels: 1, subscribers: [], events: [] }]);
  const { orgs } = await service.apply(file);
  const applied = orgs[REF];
  if (!applied) throw new Error('the organization was not made');
  const channels = Object.values(applied.channels).map(({ id }) => id);
  const side = { name: REF, people: CONVERSATIONS, channels };
  for (let at = 0; at < CONVERSATIONS; at += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => send(service, side, at + n)));
  }
  return { service, side, orgId: applied.id };
}

async function send(service: BenchService, side: Side, n: number): Promise<void> {
  const phone = `+55 11 9${String(n).padStart(4, '0')}-1000`;
  const body = { channelId: side.channels[0], phone, text: `Mensagem ${n}` };
  const { status } = await ask(service, side, { path: '/api/v1/messages', body });
  if (status !== 201) throw new Error(`a send was answered ${status}`);
}

/** A process that owns nothing of the organization, once all processes have their share. */
async function stranger({ service, side, orgId }: Stage): Promise<number> {
  const organization = partitionOf('organization', orgId);
  const channels = side.channels.map((id) => partitionOf('channel', id));
  const has = (ranges: Ranges = [], number: number) =>
    ranges.some(({ from, to }) => from <= number && number <= to);
  const isOwner = ({ organization: organizations, channel }: Record<string, Ranges>) =>
    has(organizations, organization) || channels.some((number) => has(channel, number));
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += POLL_MS) {
    const processes = await processesOf(service);
    const held = processes.flatMap(({ partitions }) => partitions.organization ?? []);
    const found = processes.find(({ partitions }) => !isOwner(partitions));
    const isWhole = processes.length === PROCESSES && processes.every(hasShare);
    if (found && isWhole && has(held, organization)) return found.pid;
    await sleep(POLL_MS);
  }
  throw new Error('the processes did not share the partitions');
}

function hasShare({ partitions }: Processes[number]): boolean {
  return (partitions.conversation ?? []).length > 0;
}

async function processesOf(service: BenchService): Promise<Processes> {
  return v.parse(ProcessesSchema, await service.recado('actors')).processes;
}

async function besideStopped(pid: number, stage: Stage): Promise<Listed> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await list(stage);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

async function list({ service, side }: Stage): Promise<Listed> {
  const before = await countersOf(service);
  const ms: number[] = [];
  const statuses = new Map<number, number>();
  for (let call = 0; call < CALLS; call++) {
    const startedAt = performance.now();
    const { status } = await ask(service, side, { path: PATH });
    ms.push(performance.now() - startedAt);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const after = await countersOf(service);
  return {
    ms: ms.toSorted((a, b) => a - b),
    statuses,
    queries: after.queries - before.queries,
    hedged: after.hedged - before.hedged,
  };
}

const QUERIES =
  /^recado_ask_duration_seconds_count\{(?=[^}]*to="query")(?=[^}]*role="gateway")[^}]*\} (\S+)/gm;
const HEDGED = /^recado_queries_hedged_total\{(?=[^}]*role="gateway")[^}]*\} (\S+)/gm;

/** Of the gateway, from its start. */
async function countersOf(service: BenchService): Promise<{ queries: number; hedged: number }> {
  const page = await (await fetch(service.run().metricsUrl)).text();
  const sum = (samples: RegExp): number =>
    [...page.matchAll(samples)].reduce((total, [, value]) => total + Number(value), 0);
  return { queries: sum(QUERIES), hedged: sum(HEDGED) };
}

const COLUMNS: readonly Column[] = [
  { name: 'processes', unit: '' },
  { name: 'answers', unit: '' },
  { name: 'p50', unit: 'ms' },
  { name: 'max', unit: 'ms' },
  { name: 'queries', unit: '' },
  { name: 'hedged', unit: '% of them' },
];

function rowOf(name: string, rounds: readonly Listed[]): Cell[] {
  const answers = new Map<number, number>();
  for (const { statuses } of rounds) {
    for (const [status, count] of statuses) {
      answers.set(status, (answers.get(status) ?? 0) + count);
    }
  }
  const queries = rounds.reduce((sum, each) => sum + each.queries, 0);
  const hedged = rounds.reduce((sum, each) => sum + each.hedged, 0);
  return [
    name,
    [...answers].map(([status, count]) => `${count} × ${status}`).join(', '),
    round(median(rounds.map(({ ms }) => quantile(ms, 0.5)))),
    slowest(rounds),
    queries,
    round((hedged * 100) / queries, 2),
  ];
}

/** Of all rounds, milliseconds. */
function slowest(rounds: readonly Listed[]): number {
  return round(Math.max(...rounds.flatMap(({ ms }) => ms)));
}
