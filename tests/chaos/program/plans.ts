/** The processes of a run and the links between them: who talks to whom through what. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { engineAddress } from '../../../infra/mongo-engine/address.ts';
import { natsServerUrl } from '../../../infra/nats/server.ts';
import type { ChildPlan } from '../../../infra/supervisor/child.ts';
import { freePort } from '../../../infra/supervisor/ports.ts';
import { Link } from './link.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');
const LOOPBACK = '127.0.0.1';

/** Long enough that a subscriber who is away for seconds spends no delivery's last attempt. */
const RETRY_SCHEDULE = '500ms,1s,2s,4s,8s,16s';

export interface Part {
  /** `actors-2`, `mongo`. */
  readonly name: string;
  readonly plan: ChildPlan;
}

export interface Layout {
  readonly folder: string;
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly subscriberUrl: string;
  readonly mongodbUrl: string;
  /** What the command line is told: the service without links in between. */
  readonly env: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
  readonly links: readonly Link[];
}

export interface LayoutOptions {
  readonly folder: string;
  readonly gateways: number;
  readonly actors: number;
  /** 0…1, for the links' jitter. */
  readonly unit: () => number;
}

export async function layOut(options: LayoutOptions): Promise<Layout> {
  const { folder, unit } = options;
  const dataDir = join(folder, 'data');
  const [port, nats, sandbox, subscriber] = await distinctPorts();
  const mongo = engineAddress(dataDir);
  const env = {
    ...bare(folder),
    ...{ DATA_DIR: dataDir, PORT: `${port}`, NATS_PORT: `${nats}`, SANDBOX_PORT: `${sandbox}` },
    NATS_URL: natsServerUrl(nats),
    MONGODB_URL: mongo.url,
    RECADO_SANDBOX_URL: `http://${LOOPBACK}:${sandbox}`,
    PUBLIC_URL: `http://${LOOPBACK}:${port}`,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    EVENTS_TO_LOOPBACK: 'true',
    EVENT_RETRY_SCHEDULE: RETRY_SCHEDULE,
    LOG_LEVEL: 'info',
  };
  const links: Link[] = [];
  const through = async (name: string, upstream: { port: number } | { path: string }) => {
    const link = await Link.open({ name, upstream, unit });
    links.push(link);
    return `${LOOPBACK}:${link.port}`;
  };
  const part = (name: string, args: readonly string[], more: Record<string, string> = {}): Part => {
    const logFile = join(folder, `${name}.log`);
    const [role = name] = name.split('-');
    return { name, plan: { role, args, cwd: ROOT, env: { ...env, ...more }, logFile } };
  };
  const named = (role: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${role}-${index + 1}`);
  const actors = named('actors', options.actors).map(async (name) =>
    part(name, ['actors/main.ts'], {
      NATS_URL: `nats://${await through(`${name}:nats`, { port: nats })}`,
      MONGODB_URL: `mongodb://${await through(`${name}:mongo`, { path: mongo.socketPath })}/?directConnection=true`,
      RECADO_SANDBOX_URL: `http://${await through(`${name}:network`, { port: sandbox })}`,
    }),
  );
  const gateways = named('gateway', options.gateways).map(async (name) =>
    part(name, ['gateway/main.ts'], {
      NATS_URL: `nats://${await through(`${name}:nats`, { port: nats })}`,
    }),
  );
  const journal = (name: string) => join(folder, `${name}.jsonl`);
  const parts = [
    part('nats', ['infra/nats/main.ts']),
    part('mongo', ['infra/mongo-engine/main.ts']),
    part('network', [
      'tests/chaos/program/network.ts',
      journal('network'),
      join(folder, 'channels.json'),
    ]),
    part('subscriber', [
      'tests/chaos/program/subscriber.ts',
      `${subscriber}`,
      journal('subscriber'),
    ]),
    ...(await Promise.all([...actors, ...gateways])),
  ];
  const events = await through('actors:subscriber', { port: subscriber });
  return {
    folder,
    baseUrl: env.PUBLIC_URL,
    sandboxUrl: env.RECADO_SANDBOX_URL,
    subscriberUrl: `http://${events}/all`,
    mongodbUrl: mongo.url,
    env,
    parts,
    links,
  };
}

async function distinctPorts(): Promise<readonly [number, number, number, number]> {
  const ports = new Set<number>();
  while (ports.size < 4) ports.add(await freePort(LOOPBACK));
  const [port = 0, nats = 0, sandbox = 0, subscriber = 0] = ports;
  return [port, nats, sandbox, subscriber];
}

/** Nothing of the developer's own environment. */
function bare(folder: string): Record<string, string> {
  const compiled = join(ROOT, '.runtime', 'compile-cache');
  const temporary = join(folder, 'tmp');
  return {
    PATH: '/usr/bin:/bin',
    HOME: temporary,
    TMPDIR: temporary,
    NODE_COMPILE_CACHE: compiled,
  };
}
