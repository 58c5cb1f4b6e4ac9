/**
 * Flow timers: runs that are all due at one minute, compared with the rate at which the API started
 * the same runs just before. Also measured: the delay of a neighbour's run that is due with them.
 *
 * A round is two minutes at least: the flow waits for a minute of the clock.
 */
import { type Collection, MongoClient } from 'mongodb';
import { type Loaded, runLoad } from '../load.ts';
import { median, quantile, round } from '../rounds.ts';
import { type BenchService, startService } from '../service.ts';
import type { Cell, Context, Result, Suite } from '../suite.ts';
import {
  CAMPAIGN,
  campaignFile,
  ENTRIES,
  NEIGHBOUR,
  NEIGHBOURS_RUNS,
  startOf,
} from '../timers/campaign.ts';

const RUNS_PER_SECOND_ASKED = 12_500;
const CONNECTIONS = 64;
/** Slower starts miss the minute, and the round fails. */
const SLOWEST_STARTS_PER_SECOND = 300;
const SPARE_MS = 15_000;
const MINUTE_MS = 60_000;
const POLL_MS = 50;
const TIMEOUT_MS = 10 * MINUTE_MS;

export const timers: Suite = {
  name: 'timers',
  about: 'flows that are all due at one minute, against starting them; a neighbour due with them',
  run,
};

interface Round {
  readonly started: Loaded;
  readonly drainedPerSecond: number;
  /** Of the neighbour's runs, milliseconds after the minute, ascending. */
  readonly latenessMs: readonly number[];
}

async function run(context: Context): Promise<Result> {
  const runs = Math.round(RUNS_PER_SECOND_ASKED * context.options.seconds);
  const rounds: Round[] = [];
  for (let count = 0; count < context.options.rounds; count++) {
    const service = await startService(context, { name: `data-${count}` });
    const client = await new MongoClient(service.run().mongodbUrl).connect();
    try {
      const entries = client.db('recado').collection('entries');
      rounds.push(await measure({ context, service, entries, runs }));
    } finally {
      await client.close();
      await service.stop();
    }
  }
  return resultOf(rounds, runs);
}

interface Stage {
  readonly context: Context;
  readonly service: BenchService;
  readonly entries: Collection;
  readonly runs: number;
}

async function measure(stage: Stage): Promise<Round> {
  const { context, service, entries, runs } = stage;
  const ready = Date.now() + (runs / SLOWEST_STARTS_PER_SECOND) * 1_000 + SPARE_MS;
  const dueAt = Math.ceil(ready / MINUTE_MS) * MINUTE_MS;
  const { orgs } = await service.apply(campaignFile(dueAt));
  const start = async (ref: string, count: number): Promise<Loaded> => {
    const flowId = orgs[ref]?.flows?.wait ?? '';
    const channelId = orgs[ref]?.channels['number-0']?.id ?? '';
    const loaded = await runLoad(context.children, {
      ...startOf(ref, { flowId, channelId }),
      ...{ port: Number(new URL(service.run().baseUrl).port), connections: CONNECTIONS },
      ...{ seconds: TIMEOUT_MS / 1_000, phones: count, most: count },
    });
    if (loaded.accepted !== count) throw new Error(`refused: ${JSON.stringify(loaded.refused)}`);
    return loaded;
  };
  await start(NEIGHBOUR, NEIGHBOURS_RUNS);
  const neighbours = await entries.distinct('conversationId');
  const started = await start(CAMPAIGN, runs);
  context.logProgress(`${runs} started at ${round(started.perSecond, 0)}/s`);
  const total = runs + NEIGHBOURS_RUNS;
  await until(async () => (await entries.estimatedDocumentCount()) === ENTRIES.waiting * total);
  if (Date.now() >= dueAt) throw new Error('the runs were not started before the minute');
  const [drainedMs, latenessMs] = await Promise.all([
    until(async () => (await entries.estimatedDocumentCount()) === ENTRIES.ended * total, dueAt),
    latenessOf(entries, neighbours, dueAt),
  ]);
  const left = await entries.countDocuments({ timer: { $exists: true } });
  const drainedPerSecond = total / (drainedMs / 1_000);
  context.logProgress(
    `drained at ${round(drainedPerSecond, 0)}/s, ${left} timers left to be cleared`,
  );
  return { started, drainedPerSecond, latenessMs };
}

/** When each of the conversations had gone on, seen every 50 ms. */
async function latenessOf(
  entries: Collection,
  conversationIds: readonly string[],
  dueAt: number,
): Promise<readonly number[]> {
  const late: number[] = [];
  const goneOn = { conversationId: { $in: conversationIds }, seq: ENTRIES.waiting + 1 };
  await until(async () => {
    const gone = await entries.countDocuments(goneOn);
    const now = Date.now() - dueAt;
    while (late.length < gone) late.push(now);
    return gone === conversationIds.length;
  }, dueAt);
  return late;
}

/** Resolves with the milliseconds since `from`. */
async function until(isSo: () => Promise<boolean>, from = Date.now()): Promise<number> {
  while (!(await isSo())) {
    if (Date.now() - from > TIMEOUT_MS) throw new Error('the runs did not come to their end');
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
  return Date.now() - from;
}

function resultOf(rounds: readonly Round[], runs: number): Result {
  const of = (pick: (each: Round) => number, digits = 0): number =>
    round(median(rounds.map(pick)), digits);
  const row: Cell[] = [
    runs,
    of(({ started }) => started.perSecond),
    of(({ drainedPerSecond }) => drainedPerSecond),
    of((each) => each.drainedPerSecond / each.started.perSecond, 2),
    of(({ latenessMs }) => quantile(latenessMs, 0.5)),
    of(({ latenessMs }) => latenessMs.at(-1) ?? 0),
  ];
  return {
    tables: [
      {
        title: 'Runs that are all due at one minute',
        columns: [
          { name: 'runs', unit: '' },
          { name: 'started by API', unit: '/s' },
          { name: 'drained', unit: '/s' },
          { name: 'of the starts', unit: '' },
          { name: "neighbour's p50", unit: 'ms' },
          { name: "neighbour's last", unit: 'ms' },
        ],
        rows: [row],
      },
    ],
    notes: [
      `${CONNECTIONS} starts under way at once; a start commits one entry, what is due two more`,
      'every run was on record as waiting before the minute, and as ended after it',
      `the neighbour: another organization's ${NEIGHBOURS_RUNS} runs, due at the same minute`,
    ],
  };
}
