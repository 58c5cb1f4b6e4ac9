/**
 * Inbound: the networks' webhooks, statuses and contacts' messages in turn, signed as the networks
 * sign them. The baseline verifies, parses and makes one journaled insert per webhook.
 */
import { type Collection, MongoClient } from 'mongodb';
import { freePort } from '../../programs/service/supervisor/ports.ts';
import { type Batches, batchesOf, type Network } from '../inbound/batches.ts';
import { type PostsResult, sendPosts } from '../inbound/posts.ts';
import { type Sender, sendSome, silence } from '../inbound/sent.ts';
import { namesOf, organizationsFile, WEBHOOK_SECRET } from '../organization.ts';
import { median, round } from '../rounds.ts';
import { startService } from '../service.ts';
import type { Cell, Context, Result, Suite } from '../suite.ts';

const REF = 'inbound';
/** As many as the simulator has in flight for a number. */
const IN_FLIGHT = 8;
/** Messages sent first, per second of a round, for which the statuses are posted. */
const COUNTS = { cloud: 250, web: 62.5 } as const;

export const inbound: Suite = {
  name: 'inbound',
  about: 'webhooks of the networks per second, statuses and messages, against a bare receiver',
  run,
};

interface Stage extends Sender {
  readonly entries: Collection;
  readonly floorPort: number;
}

async function run(context: Context): Promise<Result> {
  const service = await startService(context);
  const spec = { ref: REF, channels: 1, bridge: true, subscribers: [], events: [] };
  const { orgs } = await service.apply(organizationsFile([spec]));
  const channels = orgs[REF]?.channels ?? {};
  const [number = {}, session = {}] = namesOf(REF);
  const networks: readonly Network[] = [
    { provider: 'cloud', channelId: channels['number-0']?.id ?? '', name: number, perPost: 50 },
    { provider: 'web', channelId: channels.bridge?.id ?? '', name: session, perPost: 1 },
  ];
  const { mongodbUrl } = service.run();
  const client = await new MongoClient(mongodbUrl).connect();
  const floorPort = await freePort('127.0.0.1');
  const floor = 'infra/bench/inbound/floor-process.ts';
  const args = [floor, mongodbUrl, String(floorPort), WEBHOOK_SECRET];
  await context.children.start({ args, readyOutput: 'listening' });
  const entries = client.db('recado').collection('entries');
  const stage: Stage = { context, service, entries, ref: REF, floorPort };
  try {
    await silence(stage);
    for (const network of networks) await measure(stage, network);
    const rows: Cell[][] = [];
    for (const network of networks) rows.push(await rowOf(stage, network));
    return resultOf(rows);
  } finally {
    await client.close();
  }
}

interface Round {
  readonly batches: Batches;
  readonly ours: PostsResult;
  readonly floor: PostsResult;
}

/** Every webhook with a 200 must be on record: every message, and every message sent as read. */
async function measure(stage: Stage, network: Network): Promise<Round> {
  const { context, service, entries, floorPort } = stage;
  const { channelId, provider } = network;
  const written = () => entries.countDocuments({ channelId, 'message.direction': 'in' });
  const count = Math.ceil(COUNTS[provider] * context.options.seconds);
  const sent = await sendSome(stage, { channelId, count });
  const before = await written();
  const batches = batchesOf(network, sent);
  const { posts } = batches;
  const port = Number(new URL(service.run().baseUrl).port);
  const ours = await sendPosts(context.children, { port, inFlight: IN_FLIGHT, posts });
  const unread = await entries.countDocuments({
    _id: { $in: sent.map(({ messageId }) => messageId) } as never,
    'message.status': { $ne: 'read' },
  });
  if (unread > 0) throw new Error(`${unread} messages are not on record as read`);
  const arrived = (await written()) - before;
  if (arrived !== batches.messages) throw new Error(`${arrived} messages are on record`);
  const floor = await sendPosts(context.children, { port: floorPort, inFlight: IN_FLIGHT, posts });
  return { batches, ours, floor };
}

async function rowOf(stage: Stage, network: Network): Promise<Cell[]> {
  const rounds: Round[] = [];
  for (let count = 0; count < stage.context.options.rounds; count++) {
    rounds.push(await measure(stage, network));
    stage.context.logProgress(
      `${network.provider}: ${rounds.length} of ${stage.context.options.rounds}`,
    );
  }
  const of = (pick: (each: Round) => number, digits = 0): number =>
    round(median(rounds.map(pick)), digits);
  const updates = ({ batches }: Round): number => batches.statuses + batches.messages;
  return [
    network.provider,
    network.perPost,
    of(({ batches, ours }) => batches.posts.length / ours.seconds),
    of((each) => updates(each) / each.ours.seconds),
    of((each) => updates(each) / each.floor.seconds),
    of(({ ours, floor }) => floor.seconds / ours.seconds, 2),
    of(({ ours }) => ours.p50Ms, 1),
    of(({ ours }) => ours.p99Ms, 1),
  ];
}

function resultOf(rows: readonly Cell[][]): Result {
  return {
    tables: [
      {
        title: 'Webhooks of the networks, half of the updates statuses, half messages',
        columns: [
          { name: 'network', unit: '' },
          { name: 'updates in a webhook', unit: '' },
          { name: 'webhooks', unit: '/s' },
          { name: 'updates', unit: '/s' },
          { name: 'floor, updates', unit: '/s' },
          { name: 'of the floor', unit: '' },
          { name: 'p50', unit: 'ms' },
          { name: 'p99', unit: 'ms' },
        ],
        rows,
      },
    ],
    notes: [
      `${IN_FLIGHT} webhooks under way at once, to one number`,
      'every message was on record, and every message sent as read, when the last was answered',
      'an update commits one entry or one change; the floor makes one insert for a whole webhook',
    ],
  };
}
