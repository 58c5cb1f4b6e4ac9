/** The floor: uWebSockets.js → the client library's request() → one group-committed insert. */
import type { MongoClient } from 'mongodb';
import { freePort } from '../../supervisor/ports.ts';
import type { BenchService } from '../service.ts';
import type { Context } from '../suite.ts';
import { type AcceptSide, rowsIn } from './sides.ts';

export interface FloorPlan {
  readonly context: Context;
  readonly service: BenchService;
  readonly client: MongoClient;
}

export async function floorSide({ context, service, client }: FloorPlan): Promise<AcceptSide> {
  const { natsUrl, mongodbUrl } = service.run();
  const port = await freePort('127.0.0.1');
  const worker = ['infra/bench/accept/floor-worker.ts', natsUrl, mongodbUrl];
  await context.pieces.start({ args: worker, sign: 'working' });
  const gateway = ['infra/bench/accept/floor-gateway.ts', natsUrl, String(port)];
  await context.pieces.start({ args: gateway, sign: 'listening' });
  return {
    name: 'floor',
    target: { port, path: '/', token: 'none', channelId: 'ch_floor' },
    count: () => rowsIn(client, 'floor', 'messages').countDocuments(),
    settle: () => Promise.resolve(),
  };
}
