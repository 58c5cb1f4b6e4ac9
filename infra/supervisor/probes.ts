/**
 * Whether the servers under the service answer, asked by the supervisor itself: its roles tell
 * their logs only. The clients of servers that the operator brings are loaded for this alone, so
 * that a wrong password is told like a wrong address; an embedded part needs no more than a socket.
 */
import { connect as dial, type NetConnectOpts } from 'node:net';
import type { Config } from '../config/config.ts';
import type { Awaited } from '../log/waiting.ts';
import { mongoPlace } from '../mongo/address.ts';
import { engineAddress } from '../mongo-engine/address.ts';
import { natsPlace } from '../nats/access.ts';
import type { Resolved } from './child-environment.ts';

const PATIENCE_MS = 1_500;

export interface Probe {
  readonly server: Awaited;
  /** @throws why the server does not answer */
  readonly ask: () => Promise<void>;
}

export function probesOf(config: Config, resolved: Resolved): readonly Probe[] {
  return [natsProbe(config, resolved), mongoProbe(config, resolved)];
}

function natsProbe({ natsUrl }: Config, resolved: Resolved): Probe {
  const where = natsPlace(resolved.natsUrl);
  if (natsUrl === undefined) {
    const port = resolved.natsPort;
    const server = { name: 'the embedded NATS server', where };
    return { server, ask: () => listens({ host: '127.0.0.1', port }) };
  }
  return {
    server: { name: 'the NATS server', where: `${where} (NATS_URL)` },
    ask: async () => (await import('../nats/reach.ts')).reachNats(natsUrl, PATIENCE_MS),
  };
}

function mongoProbe({ mongodbUrl, dataDir }: Config, resolved: Resolved): Probe {
  const where = mongoPlace(resolved.mongodbUrl);
  if (mongodbUrl === undefined) {
    const path = engineAddress(dataDir).socketPath;
    return {
      server: { name: 'the embedded MongoDB engine', where },
      ask: () => listens({ path }),
    };
  }
  return {
    server: { name: 'MongoDB', where: `${where} (MONGODB_URL)` },
    ask: async () => (await import('../mongo/reach.ts')).reachMongo(mongodbUrl, PATIENCE_MS),
  };
}

function listens(place: NetConnectOpts): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = dial(place);
  socket.setTimeout(PATIENCE_MS, () => reject(new Error('no answer in time')));
  socket.once('connect', resolve);
  socket.once('error', reject);
  return promise.finally(() => socket.destroy());
}
