/**
 * Neighbours: calls of a quiet organization while another one runs its worst workload within its
 * own keys and limits. The baseline is the same calls on the same idle service, before and after.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_EVENT } from '../../../shared/log-events.ts';
import { loggedLines } from '../../adapters/log/logged-lines.ts';
import { freePort } from '../../programs/service/supervisor/ports.ts';
import { peakMemory } from '../growth/memory.ts';
import { machineMs } from '../machine-clock.ts';
import { type NeighboursFixture, prepareFixture } from '../neighbours/fixture.ts';
import {
  type Answers,
  NOISY_WORKLOADS,
  type NoisyWorkload,
  timers,
} from '../neighbours/noisy-workloads.ts';
import { QUIET_TOKEN } from '../neighbours/organizations.ts';
import { startTroublesomeServer } from '../neighbours/troublesome-server.ts';
import { type Call, runOpenLoop } from '../open-loop.ts';
import { quantile, round } from '../rounds.ts';
import { type BenchService, startService } from '../service.ts';
import type { Cell, Column, Context, Result, Suite } from '../suite.ts';

const SIZES = { contacts: 200, timers: 50_000, downloads: 24 };
/** Calls a second of the quiet organization: half of them sends, half lists. */
const PER_SECOND = 10;
const CONNECTIONS = 16;
const PHONES = 500;
/**
 * Duration of each workload in multiples of `--seconds`: with 2 a minute, a whole window of the
 * limits.
 */
const WATCHED = 30;
/**
 * After a burst a process collects its garbage 10 to 20 s into its idle time: it is not idle
 * before.
 */
const REST_MS = 25_000;
/** The load's own processes start meanwhile, and make their first calls. */
const SETTLE_MS = 2_000;

export const neighbours: Suite = {
  name: 'neighbours',
  about: "a quiet organization's calls while another one does its worst within its limits",
  run,
};

interface Watched {
  readonly name: string;
  /** Milliseconds, ascending. */
  readonly latencies: readonly number[];
  readonly refused: number;
  readonly answers: Answers;
  readonly lostLeases: number;
}

interface Stage {
  readonly context: Context;
  readonly service: BenchService;
  readonly fixture: NeighboursFixture;
}

async function run(context: Context): Promise<Result> {
  const server = await startTroublesomeServer();
  const port = await freePort('127.0.0.1');
  const allowed = [server.port, port].map((each) => `127.0.0.1:${each}`).join(',');
  const settings = { PORT: String(port), PRIVATE_NETWORK_ALLOW: allowed };
  const service = await startService(context, { settings });
  try {
    context.logProgress('preparing');
    const { baseUrl } = service.run();
    const apply = (file: object) => service.apply(file);
    const { folder } = context;
    const watchMs = context.options.seconds * WATCHED * 1_000 + SETTLE_MS;
    const beforeMinuteMs = (NOISY_WORKLOADS.length + 4) * watchMs + 2 * REST_MS;
    const fixture = await prepareFixture({
      ...{ baseUrl, folder, sizes: SIZES, server, apply },
      beforeMinuteMs,
    });
    return resultOf(await watchAll({ context, service, fixture }), peakMemory(service));
  } finally {
    server.close();
  }
}

async function watchAll(stage: Stage): Promise<readonly Watched[]> {
  const { context, fixture } = stage;
  const watched: Watched[] = [];
  const watch = async (workload: NoisyWorkload | null): Promise<void> => {
    const seen = await watchOne(stage, workload);
    context.logProgress(`${seen.name}: p99 ${Math.round(quantile(seen.latencies, 0.99))} ms`);
    watched.push(seen);
  };
  await watchOne(stage, null);
  await sleep(REST_MS);
  await watch(null);
  for (const workload of NOISY_WORKLOADS) await watch(workload);
  await sleep(REST_MS);
  await watch(null);
  // The last: their drain lasts beyond the measured time.
  if (Date.now() < fixture.minuteAt) await sleep(fixture.minuteAt - Date.now());
  await watch(timers);
  return watched;
}

async function watchOne(
  { context, service, fixture }: Stage,
  workload: NoisyWorkload | null,
): Promise<Watched> {
  const seconds = context.options.seconds * WATCHED;
  const before = lostLeasesOf(service);
  const answers: Answers = new Map();
  let over = false;
  const acts = async (): Promise<void> => {
    await sleep(SETTLE_MS);
    await workload?.run({ noisy: fixture.noisyOf(workload), answers, on: () => !over });
  };
  const plan = {
    port: Number(new URL(service.run().baseUrl).port),
    ...{ perSecond: PER_SECOND / 2, seconds: seconds + SETTLE_MS / 1_000 },
    ...{ connections: CONNECTIONS, token: QUIET_TOKEN, phones: PHONES },
  };
  const text = JSON.stringify({
    channelId: fixture.quietChannelId,
    phone: '{phone}',
    text: 'Oi {n}',
  });
  const startedAt = machineMs();
  const acting = acts();
  const calls = await Promise.all([
    runOpenLoop(context.children, { ...plan, path: '/api/v1/messages', bodies: [text] }),
    runOpenLoop(context.children, { ...plan, path: '/api/v1/contacts?limit=20', bodies: [] }),
  ]);
  over = true;
  await acting;
  return {
    name: workload?.name ?? 'at rest',
    ...judged(calls.flat().filter(({ dueAt }) => dueAt >= startedAt + SETTLE_MS)),
    answers,
    lostLeases: lostLeasesOf(service) - before,
  };
}

function judged(calls: readonly Call[]): Pick<Watched, 'latencies' | 'refused'> {
  const latencies = calls.map(({ dueAt, answeredAt }) => answeredAt - dueAt);
  return {
    latencies: latencies.toSorted((a, b) => a - b),
    refused: calls.filter(({ status }) => status >= 300).length,
  };
}

function lostLeasesOf({ dataDir }: BenchService): number {
  return loggedLines(dataDir, LOG_EVENT.leaseLost).length;
}

const COLUMNS: readonly Column[] = [
  { name: 'beside', unit: '' },
  { name: 'p50', unit: 'ms' },
  { name: 'p99', unit: 'ms' },
  { name: 'p99, of at rest', unit: '' },
  { name: 'refused', unit: '' },
  { name: 'leases lost', unit: '' },
  { name: 'answers to the act', unit: '' },
];

function resultOf(watched: readonly Watched[], heights: Readonly<Record<string, number>>): Result {
  const resting = watched
    .filter(({ name }) => name === 'at rest')
    .flatMap(({ latencies }) => latencies)
    .toSorted((a, b) => a - b);
  const rest = quantile(resting, 0.99);
  const rows = watched.map(({ name, latencies, refused, answers, lostLeases }): Cell[] => {
    const [p50, p99] = [0.5, 0.99].map((share) => quantile(latencies, share));
    const answered = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ');
    return [
      name,
      round(p50 ?? 0),
      round(p99 ?? 0),
      round((p99 ?? 0) / rest, 2),
      refused,
      lostLeases,
      answered,
    ];
  });
  const memory = Object.entries(heights).map(([role, megabytes]): Cell[] => [role, megabytes]);
  return {
    tables: [
      { title: "A quiet organization's calls beside a greedy one", columns: COLUMNS, rows },
      {
        title: 'Memory at most',
        columns: [
          { name: 'process', unit: '' },
          { name: 'resident', unit: 'MB' },
        ],
        rows: memory,
      },
    ],
    notes: [
      `quiet: ${PER_SECOND} calls a second, half of them sends and half lists; a latency counts from when its call was due`,
      'each act is watched from the beginning of its window of limits',
      'greedy: an organization for each act, five keys, the limits of the contract (120 calls a minute for each key, 600 for all)',
      'at rest: the same calls before and after, together',
    ],
  };
}
