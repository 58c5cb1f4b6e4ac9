/**
 * Probes of the servers under the service, by the supervisor itself: its roles report to their logs
 * only. The clients of the operator's own servers are loaded for this alone, so that a wrong
 * password is reported like a wrong address. An embedded part needs no more than a socket.
 */
import { connect as dial, type NetConnectOpts } from 'node:net';
import type { AwaitedServer } from '../../../../adapters/log/wait-reporter.ts';
import { mongoHosts } from '../../../../adapters/mongo/address.ts';
import { natsHosts } from '../../../../adapters/nats/access.ts';
import type { Config } from '../../../../config/config.ts';
import { engineAddress } from '../../mongo-engine/address.ts';
import type { Resolved } from '../children/environment.ts';

const TIMEOUT_MS = 1_500;

export interface Probe {
  readonly server: AwaitedServer;
  /** @throws why the server does not answer */
  readonly ask: () => Promise<void>;
}

export function probesOf(config: Config, resolved: Resolved): readonly Probe[] {
  return [natsProbe(config, resolved), mongoProbe(config, resolved)];
}

function natsProbe(config: Config, resolved: Resolved): Probe {
  const { natsUrl } = config;
  const where = natsHosts(resolved.natsUrl);
  if (natsUrl === undefined) {
    const port = resolved.natsPort;
    const server = { name: 'the embedded NATS server', where };
    return { server, ask: () => listens({ host: '127.0.0.1', port }) };
  }
  return {
    server: { name: 'the NATS server', where: `${where} (NATS_URL)` },
    ask: async () =>
      (await import('../../../../adapters/nats/probe.ts')).probeNats(
        { ...config, natsUrl },
        TIMEOUT_MS,
      ),
  };
}

function mongoProbe({ mongodbUrl, dataDir }: Config, resolved: Resolved): Probe {
  const where = mongoHosts(resolved.mongodbUrl);
  if (mongodbUrl === undefined) {
    const path = engineAddress(dataDir).socketPath;
    return {
      server: { name: 'the embedded MongoDB engine', where },
      ask: () => listens({ path }),
    };
  }
  return {
    server: { name: 'MongoDB', where: `${where} (MONGODB_URL)` },
    ask: async () =>
      (await import('../../../../adapters/mongo/probe.ts')).probeMongo(mongodbUrl, TIMEOUT_MS),
  };
}

function listens(place: NetConnectOpts): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = dial(place);
  socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no answer in time')));
  socket.once('connect', resolve);
  socket.once('error', reject);
  return promise.finally(() => socket.destroy());
}
