/**
 * The same parts, bare. The floor: uWebSockets.js → the client library's request() → one worker
 * that group-commits one journaled insert. The harder floor packs the requests of a tick together,
 * and so does the limit, which inserts an entry as it is, with its indexes.
 */
import type { MongoClient } from 'mongodb';
import { freePort } from '../../programs/service/supervisor/ports.ts';
import type { BenchService } from '../service.ts';
import type { Context } from '../suite.ts';
import { type AcceptSide, rowsIn } from './sides.ts';

export interface FloorPlan {
  readonly name: 'floor' | 'harder' | 'limit';
  readonly context: Context;
  readonly service: BenchService;
  readonly client: MongoClient;
}

/** As long as a channel's id. */
const CHANNEL = `chn_${'0'.repeat(22)}`;

/** They share the service's NATS server and MongoDB engine. */
export async function floorSide({
  name,
  context,
  service,
  client,
}: FloorPlan): Promise<AcceptSide> {
  const { natsUrl, mongodbUrl } = service.run();
  const port = await freePort('127.0.0.1');
  // Not as an argument: every user of the machine sees those.
  const env = { NATS_URL: natsUrl };
  const program = `infra/bench/accept/${name === 'floor' ? 'floor' : 'batched'}`;
  const worker = [`${program}-worker.ts`, mongodbUrl, name];
  await context.children.start({ args: worker, readyOutput: 'working', env });
  const gateway = [`${program}-gateway.ts`, String(port), name];
  await context.children.start({ args: gateway, readyOutput: 'listening', env });
  const rows = rowsIn(client, name, name === 'limit' ? 'entries' : 'messages');
  return {
    name,
    target: { port, path: '/', token: 'none', channelId: name === 'limit' ? CHANNEL : 'ch_floor' },
    count: () => rows.countDocuments(),
    drain: () => Promise.resolve(),
  };
}
