/** Cost of the idle service: processor, memory, disk, and its start. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_PACE, organizationFile, TOKEN } from '../accept/organization.ts';
import { type CpuByRole, cpuByRole, cpuSince } from '../cpu.ts';
import { peakMemory, residentMemory } from '../growth/memory.ts';
import { folderMb, timedStart } from '../idle/starts.ts';
import { runLoad } from '../load.ts';
import { median, round } from '../rounds.ts';
import type { BenchService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Cell, Column, Context, Result, Suite, Table } from '../suite.ts';

/** Caches fill, agendas are polled once, new owners poll a second time after 10 s. */
const SETTLE_MS = 20_000;
const REST_SECONDS = 20;
const CONVERSATIONS = 100_000;
const LOAD = { connections: 64, seconds: 1_800 };
const REPORTED_WITHIN_MS = 600_000;
/** Unused cache entries expire meanwhile, and an idle process collects its garbage. */
const MINUTE_MS = 60_000;
const LOOK_SECONDS = 5;
/** Of a core. */
const IDLE_SHARE = 0.05;

export const idle: Suite = {
  name: 'idle',
  about: 'processor at rest, memory of 100,000 new conversations, size on disk, time to start',
  run,
};

async function run(context: Context): Promise<Result> {
  const { logProgress } = context;
  const starts = await startTable(context);
  const { service } = await timedStart(context, 'rest', 'cache');
  await service.apply(organizationFile(NO_PACE));
  await sleep(SETTLE_MS);
  logProgress('at rest');
  const before = cpuByRole(service.run().pids);
  await sleep(REST_SECONDS * 1000);
  const rest = cpuSince(before, cpuByRole(service.run().pids));
  const processes = await weightTable(context, service, rest);
  return {
    tables: [processes, starts, sizeTable()],
    notes: [
      `at rest: ${REST_SECONDS} s without a call, one organization with one channel`,
      `memory: one send to each of ${CONVERSATIONS.toLocaleString('en-US')} new contacts, accepted, sent, and told to a subscriber; the receipts included`,
    ],
  };
}

const STARTS: Column[] = [
  { name: 'start', unit: '' },
  { name: 'until ready', unit: 's' },
];

/** Cold: new data and no compiled code. Warm: both are there. */
async function startTable(context: Context): Promise<Table> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let at = 0; at < context.options.rounds; at++) {
    for (const times of [cold, warm]) {
      const { service, seconds } = await timedStart(context, `start-${at}`, `cache-${at}`);
      times.push(seconds);
      await service.stop();
    }
  }
  const rows = [
    ['cold', round(median(cold), 2)],
    ['warm', round(median(warm), 2)],
  ];
  return { title: 'Start, everything installed', columns: STARTS, rows };
}

const PROCESSES: Column[] = [
  { name: 'process', unit: '' },
  { name: 'processor at rest', unit: '% of a core' },
  { name: 'memory at rest', unit: 'MB' },
  { name: 'at most, while 100,000 conversations begin', unit: 'MB' },
  { name: 'a minute of rest later', unit: 'MB' },
];

async function weightTable(
  context: Context,
  service: BenchService,
  rest: CpuByRole,
): Promise<Table> {
  const atRest = residentMemory(service);
  await sendToEach(context, service);
  await receiptsWorkedOff(service);
  const height = peakMemory(service);
  await sleep(MINUTE_MS);
  const rested = residentMemory(service);
  const rows = Object.keys(atRest).map((role): Cell[] => [
    role,
    round(((rest[role] ?? 0) * 100) / REST_SECONDS, 2),
    atRest[role] ?? null,
    height[role] ?? null,
    rested[role] ?? null,
  ]);
  const sum = (at: number): number =>
    round(
      rows.reduce((total, row) => total + Number(row[at]), 0),
      2,
    );
  const total: Cell[] = ['all', sum(1), sum(2), sum(3), sum(4)];
  return { title: 'At rest', columns: PROCESSES, rows: [...rows, total] };
}

/** The network reports what was read for longer than the subscriber is told of what was sent. */
async function receiptsWorkedOff(service: BenchService): Promise<void> {
  for (let used = Number.POSITIVE_INFINITY; used > IDLE_SHARE * LOOK_SECONDS; ) {
    const before = cpuByRole(service.run().pids);
    await sleep(LOOK_SECONDS * 1_000);
    used = cpuSince(before, cpuByRole(service.run().pids)).actors ?? 0;
  }
}

/** Each is accepted, sent, and reported to a subscriber. */
async function sendToEach(
  { children, logProgress }: Context,
  service: BenchService,
): Promise<void> {
  const subscribers = await startSubscribers(children, { prompt: 1, hanging: 0 });
  const { orgs } = await service.apply(organizationFile(NO_PACE, subscribers.prompt));
  const channelId = orgs.bench?.channels.main?.id;
  const loaded = await runLoad(children, {
    ...LOAD,
    port: Number(new URL(service.run().baseUrl).port),
    path: '/api/v1/messages',
    token: TOKEN,
    bodies: [JSON.stringify({ channelId, phone: '{phone}', text: 'Olá, {n}' })],
    phones: CONVERSATIONS,
    most: CONVERSATIONS,
  });
  if (loaded.accepted < CONVERSATIONS) throw new Error(`only ${loaded.accepted} were accepted`);
  logProgress(`${CONVERSATIONS} conversations begun at ${Math.round(loaded.perSecond)}/s`);
  const until = performance.now() + REPORTED_WITHIN_MS;
  while ((await subscribers.count()) < CONVERSATIONS) {
    if (performance.now() > until) throw new Error('the subscriber was not told of all');
    await sleep(1_000);
  }
}

function sizeTable(): Table {
  const columns: Column[] = [
    { name: 'on disk', unit: '' },
    { name: 'size', unit: 'MB' },
  ];
  const rows: Cell[][] = [
    ['Node.js of the project', folderMb('.runtime/node')],
    ['NATS server', folderMb('.runtime/bin')],
    ['MongoDB engine', folderMb('node_modules/@0q')],
    ['other packages, those for development included', packagesMb()],
    ['source', sourceMb()],
  ];
  return { title: 'Installed', columns, rows };
}

function sourceMb(): number {
  const folders = ['actors', 'gateway', 'infra', 'shared'];
  const withPeer = folders.reduce((sum, folder) => sum + folderMb(folder), 0);
  return withPeer - folderMb('infra/bench/peer/node_modules');
}

function packagesMb(): number {
  return folderMb('node_modules') - folderMb('node_modules/@0q');
}
