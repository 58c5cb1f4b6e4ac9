/**
 * Peer side: the same endpoint as usually built, Moleculer with its web gateway, its NATS
 * transporter and the MongoDB driver. Its packages are no part of the product: `npm run bench`
 * installs them beside its programs.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../programs/service/supervisor/ports.ts';
import { ROOT } from '../child-processes.ts';
import type { FloorPlan } from './floor-side.ts';
import { TOKEN } from './organization.ts';
import { type AcceptSide, rowsIn } from './sides.ts';

export const PEER_FOLDER = 'infra/bench/peer';

export function peerIsInstalled(): boolean {
  return existsSync(join(ROOT, PEER_FOLDER, 'node_modules', '.package-lock.json'));
}

export async function peerSide(plan: Omit<FloorPlan, 'name'>): Promise<AcceptSide> {
  const { children } = plan.context;
  const { natsUrl, mongodbUrl } = plan.service.run();
  const port = await freePort('127.0.0.1');
  // Not as an argument: every user of the machine sees those.
  const env = { NATS_URL: natsUrl };
  const worker = [`${PEER_FOLDER}/worker.mjs`, mongodbUrl, TOKEN];
  await children.start({ args: worker, readyOutput: 'working', env });
  const gateway = [`${PEER_FOLDER}/gateway.mjs`, mongodbUrl, String(port)];
  await children.start({ args: gateway, readyOutput: 'listening', env });
  return {
    name: 'peer',
    target: { port, path: '/api/v1/messages', token: TOKEN, channelId: 'ch_peer' },
    count: () => rowsIn(plan.client, 'peer', 'messages').countDocuments(),
    drain: () => Promise.resolve(),
  };
}
