/**
 * The same parts, bare. The floor: uWebSockets.js → the client library's request() → one worker
 * that group-commits one journaled insert. The harder floor packs the requests of a tick together.
 */
import type { MongoClient } from 'mongodb';
import { freePort } from '../../programs/supervisor/ports.ts';
import type { BenchService } from '../service.ts';
import type { Context } from '../suite.ts';
import { type AcceptSide, rowsIn } from './sides.ts';

export interface FloorPlan {
  readonly name: 'floor' | 'harder';
  readonly context: Context;
  readonly service: BenchService;
  readonly client: MongoClient;
}

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
  const worker = [`infra/bench/accept/${name}-worker.ts`, mongodbUrl];
  await context.children.start({ args: worker, readyOutput: 'working', env });
  const gateway = [`infra/bench/accept/${name}-gateway.ts`, String(port)];
  await context.children.start({ args: gateway, readyOutput: 'listening', env });
  return {
    name,
    target: { port, path: '/', token: 'none', channelId: 'ch_floor' },
    count: () => rowsIn(client, name, 'messages').countDocuments(),
    drain: () => Promise.resolve(),
  };
}
