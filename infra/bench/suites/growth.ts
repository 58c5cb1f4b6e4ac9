/**
 * Growth: the same lists, searches and sends in two organizations, in turns. One has 10 thousand
 * contacts, conversations and messages, the other 1 million. Also measured: the memory of the
 * processes, and the duration of a start and a take-over.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { databaseOf } from '../../adapters/mongo/client.ts';
import { CALLS } from '../growth/calls.ts';
import { type Compared, compare } from '../growth/compare.ts';
import { residentMemory, takeOver } from '../growth/memory.ts';
import { ask, fill, provision, type Side } from '../growth/sides.ts';
import { stallOf } from '../growth/stalls.ts';
import { round } from '../rounds.ts';
import { type BenchService, startService } from '../service.ts';
import type { Cell, Column, Context, Result, Suite, Table } from '../suite.ts';

const SMALL = 10_000;
const TAKE_OVERS = 3;
const IN_MEMORY_MS = 500;
const READING_MS = 180_000;

export const growth: Suite = {
  name: 'growth',
  about: 'lists, searches and sends with 10 thousand and with 1 million of each',
  run,
};

async function run(context: Context): Promise<Result> {
  const { options, logProgress } = context;
  const times: Cell[][] = [];
  const weights: Cell[][] = [];
  const started = async (what: string): Promise<BenchService> => {
    const startedAt = performance.now();
    const service = await startService(context);
    times.push([what, Math.round(performance.now() - startedAt)]);
    return service;
  };
  const empty = await started('start, empty');
  const people = { small: SMALL, large: options.people };
  const sides = await provision(empty, people);
  weights.push(weightRow('empty', empty));
  await fillOnce(context, empty, sides);
  await empty.stop();
  const service = await started('start, filled');
  weights.push(weightRow('filled, just started', service));
  await firstTotals(service, sides, times);
  for (const side of sides) times.push(await firstSearches(service, side));
  for (const side of sides) times.push(await stallOf(service, side));
  const rows: Cell[][] = [];
  for (const call of CALLS) {
    const compared = await compare(service, call, { sides, rounds: options.rounds });
    rows.push([call.name, ...rowOf(compared), call.target]);
    logProgress(`${call.name} measured`);
  }
  weights.push(weightRow('after the calls', service));
  for (const side of sides) await checkTotals(service, side);
  for (let time = 0; time < TAKE_OVERS; time++) {
    for (const side of sides) {
      times.push([`actors killed, a send of ${side.name}`, await takeOver(service, side)]);
    }
  }
  return { tables: tablesOf({ rows, times, weights }, people), notes: NOTES };
}

const NOTES = [
  'one caller, one call after the other; the sides take turns, medians of the rounds',
  'processor time is that of all processes of the service, for one call',
  'the totals were those of the database at the end',
];

/** A folder that is already filled is used as it is. */
async function fillOnce(
  { folder, logProgress }: Context,
  service: BenchService,
  sides: readonly Side[],
): Promise<void> {
  const sign = join(folder, 'filled');
  if (existsSync(sign)) return;
  for (const side of sides) await fill(service, side, logProgress);
  mkdirSync(sign);
}

/** Right after the start: nothing is counted, read or cached yet. */
async function firstTotals(
  service: BenchService,
  sides: readonly Side[],
  times: Cell[][],
): Promise<void> {
  for (const side of sides) {
    for (const path of ['contacts', 'conversations']) {
      const startedAt = performance.now();
      const { status } = await ask(service, side, { path: `/api/v1/${path}` });
      if (status !== 200) throw new Error(`the first ${path} was answered ${status}`);
      times.push([`first ${path} of ${side.name}`, Math.round(performance.now() - startedAt)]);
    }
  }
}

/** Until all contacts have been read, the store searches in memory's place, where it can. */
async function firstSearches(service: BenchService, side: Side): Promise<Cell[]> {
  const startedAt = performance.now();
  for (let faults = 0; ; ) {
    const askedAt = performance.now();
    const { status } = await ask(service, side, { path: '/api/v1/contacts?query=nobody-at-all' });
    const now = performance.now();
    if (status !== 200) faults++;
    else if (now - askedAt < IN_MEMORY_MS) {
      const what = `searches of ${side.name} in memory, ${faults} answered 500 before`;
      return [what, Math.round(now - startedAt)];
    }
    if (now - startedAt > READING_MS) throw new Error(`${side.name} is not read in time`);
  }
}

async function checkTotals(service: BenchService, side: Side): Promise<void> {
  const { mongodbUrl } = service.run();
  const client = new MongoClient(mongodbUrl, { retryWrites: false });
  try {
    const db = databaseOf(client, mongodbUrl);
    const [channel = ''] = side.channels;
    const one = await db.collection('conversations').findOne({ 'snapshot.channelId': channel });
    const orgId = one?.snapshot.orgId;
    const open = { 'snapshot.orgId': orgId, 'snapshot.status': 'open' };
    const wanted: readonly (readonly [string, string, object])[] = [
      ['contacts', 'contacts', { orgId }],
      ['contacts?query=silva', 'contacts', { orgId, search: /silva/ }],
      ['conversations', 'conversations', { 'snapshot.orgId': orgId }],
      ['conversations?status=open', 'conversations', open],
    ];
    for (const [path, collection, filter] of wanted) {
      const { json } = await ask(service, side, { path: `/api/v1/${path}` });
      const { total } = Object(json);
      const counted = await db.collection(collection).countDocuments(filter);
      if (total !== counted) throw new Error(`${side.name} ${path}: ${total}, not ${counted}`);
    }
  } finally {
    await client.close();
  }
}

function rowOf(compared: readonly Compared[]): Cell[] {
  const [small, large] = compared;
  if (!small || !large) throw new Error('two sides are compared');
  return [
    round(small.p50Ms, 2),
    round(large.p50Ms, 2),
    round(large.p50Ms / small.p50Ms, 2),
    round(small.cpuMs, 2),
    round(large.cpuMs, 2),
    round(large.cpuMs / small.cpuMs, 2),
    round(large.p99Ms, 1),
  ];
}

const ROLES = ['gateway', 'actors', 'mongo', 'nats'];

function weightRow(when: string, service: BenchService): Cell[] {
  const weights = residentMemory(service);
  return [when, ...ROLES.map((role) => weights[role] ?? null)];
}

interface Rows {
  readonly rows: readonly Cell[][];
  readonly times: readonly Cell[][];
  readonly weights: readonly Cell[][];
}

function tablesOf(
  { rows, times, weights }: Rows,
  { small, large }: { readonly small: number; readonly large: number },
): readonly Table[] {
  const names = [small, large].map((many) => many.toLocaleString('en-US'));
  const inMs = (name: string): Column => ({ name, unit: 'ms' });
  const plain = (name: string): Column => ({ name, unit: '' });
  const columns = [
    plain('call'),
    ...names.map((many) => inMs(`${many} p50`)),
    plain('ratio'),
    ...names.map((many) => inMs(`${many} cpu`)),
    plain('ratio of cpu'),
    inMs(`${names[1]} p99`),
    plain('target'),
  ];
  const chart = { title: 'Cost of growth', x: 'call', y: ['ratio', 'ratio of cpu'] };
  return [
    { title: `${names.join(' and ')} of each`, columns, rows, chart },
    { title: 'Starts and take-overs', columns: [plain('what'), inMs('took')], rows: times },
    {
      title: 'Resident memory',
      columns: [plain('when'), ...ROLES.map((name) => ({ name, unit: 'MB' }))],
      rows: weights,
    },
  ];
}
