/** A run's NATS: one embedded server, or a cluster of three with TLS and users by role. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BusRole } from '../../../../infra/adapters/nats/permissions.ts';
import { natsServerUrl } from '../../../../infra/programs/service/nats-server/server.ts';
import { NatsOperator } from '../../../support/nats/accounts.ts';
import { issueCertificates } from '../../../support/nats/certificates.ts';
import { serverConfiguration } from '../../../support/nats/cluster.ts';
import type { Link, Upstream } from './link.ts';

const LOOPBACK = '127.0.0.1';
const SERVERS = ['nats-1', 'nats-2', 'nats-3'] as const;
/** Of two servers each, by their places. */
const ROUTES = [
  [0, 1],
  [0, 2],
  [1, 2],
] as const;
/** Ports that a cluster takes. */
export const CLUSTER_PORTS = 2 * SERVERS.length;
const PREFIX = 'chaos';
const SERVER = 'tests/faults/chaos/program/nats-server.ts';

type Settings = Readonly<Record<string, string>>;

/** Opens a link of this name. */
type OpenLink = (name: string, upstream: Upstream) => Promise<Link>;

interface ServerProcess {
  readonly name: string;
  readonly args: readonly string[];
  readonly settings?: Settings;
}

export interface Bus {
  /** The servers' processes. */
  readonly servers: readonly ServerProcess[];
  /** Of a process without a link in between. */
  settings(role: BusRole): Settings;
  /** Of a process behind links of its own. */
  through(name: string, role: BusRole, open: OpenLink): Promise<Settings>;
}

export function embeddedBus(port: number, token: string): Bus {
  return {
    servers: [{ name: 'nats', args: ['infra/programs/service/nats-server/main.ts'] }],
    settings: () => ({ NATS_URL: natsServerUrl(port, token), NATS_PORT: `${port}` }),
    through: async (name, _role, open) => {
      const link = await open(`${name}:nats`, { port });
      return { NATS_URL: `nats://${token}@${LOOPBACK}:${link.port}` };
    },
  };
}

/**
 * The routes between the servers are links too: each may be cut, and a server be left alone.
 * @param ports `CLUSTER_PORTS` of them
 */
export async function clusterBus(
  folder: string,
  ports: readonly number[],
  open: OpenLink,
): Promise<Bus> {
  const files = join(folder, 'nats');
  mkdirSync(files, { recursive: true });
  const operator = new NatsOperator();
  const credentials = operator.issue(files, PREFIX);
  const certificates = issueCertificates(files);
  const portOf = (place: number) => ports[place] ?? 0;
  const clusterPortOf = (place: number) => portOf(SERVERS.length + place);
  const routes = SERVERS.map((): string[] => []);
  for (const [from, to] of ROUTES) {
    const name = `${SERVERS[from]}+${SERVERS[to]}:nats-route`;
    const link = await open(name, { port: clusterPortOf(to) });
    routes[from]?.push(`${LOOPBACK}:${link.port}`);
  }
  const servers = SERVERS.map((name, place) => {
    const file = join(files, `${name}.conf`);
    const ends = { port: portOf(place), clusterPort: clusterPortOf(place) };
    const server = { name, ...ends, routes: routes[place] ?? [] };
    writeFileSync(file, serverConfiguration(server, certificates, operator.trusted));
    return { name, args: [SERVER, file] };
  });
  const settingsAt = (role: BusRole, at: readonly number[]): Settings => ({
    NATS_URL: at.map((port) => `tls://${LOOPBACK}:${port}`).join(),
    NATS_CA_FILE: certificates.ca,
    NATS_CREDS_FILE: credentials[role],
    NATS_PREFIX: PREFIX,
  });
  return {
    servers,
    settings: (role) =>
      settingsAt(
        role,
        SERVERS.map((_, place) => portOf(place)),
      ),
    through: async (name, role, openLink) => {
      const links: Link[] = [];
      for (const [place, server] of SERVERS.entries()) {
        links.push(await openLink(`${name}:${server}`, { port: portOf(place) }));
      }
      return settingsAt(
        role,
        links.map(({ port }) => port),
      );
    },
  };
}
