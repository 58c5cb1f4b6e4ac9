/**
 * Asks of organizations for a thousand sends: four actors processes ask, a fifth has the
 * organizations alone. So each ask passes the bus, where it is counted.
 */
import { type Collection, MongoClient } from 'mongodb';
import { type AskCounter, countAsks, ENVELOPES, EVERY_KIND } from '../asks/counter.ts';
import { runOpenLoop } from '../open-loop.ts';
import { organizationsFile, tokenOf } from '../organization.ts';
import { median, round } from '../rounds.ts';
import { kindsBeside, writeProcfile } from '../scale-out/by-kind.ts';
import { type BenchService, startService } from '../service.ts';
import type { Cell, Context, Result, Suite, Table } from '../suite.ts';
import { until } from '../until.ts';

const REF = 'asks';
const CHANNELS = 40;
/** A multiple of the channels: each contact writes to one of them. */
const CONVERSATIONS = 1_000;
const PER_SECOND = 250;
const CONNECTIONS = 256;
const CREATED = 201;
const OK = 200;
const BESIDE = [ENVELOPES, EVERY_KIND];

type Counts = ReadonlyMap<string, number>;

export const asks: Suite = {
  name: 'asks',
  about: 'what 1,000 sends ask of their organization, by command',
  run,
};

async function run(context: Context): Promise<Result> {
  const kinds = { organization: ['organization'], actors: kindsBeside(['organization']) } as const;
  const procfile = writeProcfile(context, kinds);
  const settings = { FORMATION: 'actors=4,panel=0' };
  const service = await startService(context, { procfile, settings });
  const { mongodbUrl, natsUrl } = service.run();
  const spec = { ref: REF, channels: CHANNELS, subscribers: [], events: [] };
  const { orgs } = await service.apply(organizationsFile([spec]));
  const channelIds = Object.values(orgs[REF]?.channels ?? {}).map(({ id }) => id);
  const client = await new MongoClient(mongodbUrl).connect();
  const entries = client.db('recado').collection('entries');
  const stage: Stage = { context, service, channelIds, entries };
  try {
    // The conversations begin: each first message makes a contact.
    await send(stage);
    const counter = await countAsks(natsUrl);
    try {
      const apart = await measure(stage, counter);
      await beginStream(service);
      return resultOf(apart, await measure(stage, counter));
    } finally {
      await counter.close();
    }
  } finally {
    await client.close();
  }
}

interface Stage {
  readonly context: Context;
  readonly service: BenchService;
  readonly channelIds: readonly string[];
  readonly entries: Collection;
}

/** A stream of all events, whose client is away: it lives on for a day. */
async function beginStream(service: BenchService): Promise<void> {
  const headers = { authorization: `Bearer ${tokenOf(REF)}` };
  const { status, body } = await fetch(`${service.run().baseUrl}/api/v1/events`, { headers });
  if (status !== OK) throw new Error(`the stream was answered ${status}`);
  await body?.cancel();
}

/** Of each round the counts for 1,000 sends, by command. */
async function measure(stage: Stage, counter: AskCounter): Promise<readonly Counts[]> {
  const { options, logProgress } = stage.context;
  const rounds: Counts[] = [];
  for (let number = 0; number < options.rounds; number++) {
    const sends = await send(stage);
    const taken = await counter.take();
    // The gateway asks a conversation for each send: none at all is a counter that does not read.
    if (!taken.has(EVERY_KIND)) throw new Error('the counter has read no ask');
    const counts = [...taken].map(([name, count]): [string, number] => [
      name,
      (count * 1_000) / sends,
    ]);
    rounds.push(new Map(counts));
    logProgress(`${number + 1} of ${options.rounds} rounds, ${sends} sends`);
  }
  return rounds;
}

/** One round of sends, and all that follows from them; their number. */
async function send({ context, service, channelIds, entries }: Stage): Promise<number> {
  const calls = await runOpenLoop(context.children, {
    port: Number(new URL(service.run().baseUrl).port),
    ...{ perSecond: PER_SECOND, seconds: context.options.seconds, connections: CONNECTIONS },
    ...{ path: '/api/v1/messages', token: tokenOf(REF), phones: CONVERSATIONS },
    bodies: channelIds.map((channelId) =>
      JSON.stringify({ channelId, phone: '{phone}', text: 'Mensagem de número {n}' }),
    ),
  });
  const refused = calls.filter(({ status }) => status !== CREATED).length;
  if (refused > 0) throw new Error(`${refused} calls were not answered 201`);
  await followedUp(entries);
  return calls.length;
}

/** Until every message was read, and what it set off is published. */
async function followedUp(entries: Collection): Promise<void> {
  const unread = { 'message.direction': 'out', 'message.status': { $ne: 'read' } };
  const open = { $or: [unread, { pending: { $exists: true } }] };
  const isDone = async () => (await entries.countDocuments(open, { limit: 1 })) === 0;
  await until(isDone, 'every message is read and its events are published');
}

function resultOf(apart: readonly Counts[], streamed: readonly Counts[]): Result {
  const title = 'Asks of the organization for 1,000 sends';
  return {
    tables: [tableOf(title, apart), tableOf(`${title}, with a live event stream`, streamed)],
    notes: [
      'sends to known contacts, each read, its receipts and events included; no subscriber',
      'four actors processes beside one that has the organizations; the limits are out of the way',
      'of every kind: those that pass the bus, which an ask within a process does not',
    ],
  };
}

function tableOf(title: string, rounds: readonly Counts[]): Table {
  const asked = rounds.flatMap((counts) => [...counts.keys()]);
  const commands = ['admit', ...asked].filter((name) => !BESIDE.includes(name));
  const names = [...new Set(commands), ...BESIDE];
  const rows = names.map((name): Cell[] => {
    const counts = rounds.map((each) => each.get(name) ?? 0);
    return [
      name,
      ...[median(counts), Math.min(...counts), Math.max(...counts)].map((n) => round(n)),
    ];
  });
  const columns = ['asked', 'median', 'least', 'most'].map((name) => ({ name, unit: '' }));
  return { title, columns, rows };
}
