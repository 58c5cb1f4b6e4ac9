/** The processes of a run and the links between them: which connects to which, and through what. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { natsServerUrl } from '../../../../infra/programs/nats-server/server.ts';
import type { ChildPlan } from '../../../../infra/programs/supervisor/child.ts';
import { ownBundles } from '../../../../infra/programs/supervisor/plans.ts';
import { freePort } from '../../../../infra/programs/supervisor/ports.ts';
import { environment, ROOT } from '../../../support/launch.ts';
import { Link, type Upstream } from './link.ts';
import { roleOf } from './schedule.ts';
import type { Store } from './stores.ts';

const LOOPBACK = '127.0.0.1';
/** Of the NATS server and of the networks' simulator. */
const TOKEN = randomBytes(32).toString('base64url');

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
  readonly store: Store;
  /** Environment of the command line: the service without links in between. */
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
  /** In that folder, or elsewhere. */
  readonly store: Store;
}

export async function layOut(options: LayoutOptions): Promise<Layout> {
  const { folder } = options;
  const ports = await distinctPorts();
  const { store } = options;
  const env = settingsOf(folder, ports, store.mongodbUrl);
  const wiring = new Wiring(options.unit);
  const ends: Ends = { ...ports, store };
  const named = (role: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${role}-${index + 1}`);
  const planned = await Promise.all([
    ...boxesAround(folder, ports, store),
    ...named('actors', options.actors).map((name) => actorsPlan(name, wiring, ends)),
    ...named('gateway', options.gateways).map((name) => gatewayPlan(name, wiring, ends)),
  ]);
  const made = await ownBundles({ root: ROOT, report: () => undefined });
  const parts = planned.map(({ name, args, settings = {} }): Part => {
    const logFile = join(folder, `${name}.log`);
    const command = { args, env: { ...env, ...settings } };
    const bundled = () => made?.commandOf(command) ?? null;
    return { name, plan: { role: roleOf(name), ...command, cwd: ROOT, bundled, logFile } };
  });
  const events = await wiring.through('actors:subscriber', { port: ports.subscriber });
  return {
    folder,
    baseUrl: env.PUBLIC_URL,
    sandboxUrl: env.RECADO_SANDBOX_URL,
    subscriberUrl: `http://${events}/all`,
    store,
    env,
    parts,
    links: wiring.links,
  };
}

/** Opens links, and keeps them. */
class Wiring {
  readonly links: Link[] = [];
  readonly #unit: () => number;

  constructor(unit: () => number) {
    this.#unit = unit;
  }

  /** The address that leads there. */
  async through(name: string, upstream: Upstream): Promise<string> {
    const { port } = await this.link(name, upstream);
    return `${LOOPBACK}:${port}`;
  }

  async link(name: string, upstream: Upstream): Promise<Link> {
    const link = await Link.open({ name, upstream, unit: this.#unit });
    this.links.push(link);
    return link;
  }
}

interface Ports {
  readonly public: number;
  readonly nats: number;
  readonly sandbox: number;
  readonly subscriber: number;
}

/** Endpoints of the links. */
interface Ends extends Ports {
  readonly store: Store;
}

interface Planned {
  readonly name: string;
  readonly args: readonly string[];
  /** Beside those of all. */
  readonly settings?: Readonly<Record<string, string>>;
}

function boxesAround(
  folder: string,
  { subscriber }: Ports,
  { upstream }: Store,
): readonly Planned[] {
  const journal = (name: string) => join(folder, `${name}.jsonl`);
  const program = (name: string) => `tests/faults/chaos/program/${name}.ts`;
  const mongo = { name: 'mongo', args: ['infra/programs/mongo-engine/main.ts'] };
  return [
    { name: 'nats', args: ['infra/programs/nats-server/main.ts'] },
    ...(upstream === null ? [] : [mongo]),
    {
      name: 'network',
      args: [program('network'), journal('network'), join(folder, 'channels.json')],
    },
    { name: 'subscriber', args: [program('subscriber'), `${subscriber}`, journal('subscriber')] },
  ];
}

async function actorsPlan(name: string, wiring: Wiring, ends: Ends): Promise<Planned> {
  const nats = await wiring.through(`${name}:nats`, { port: ends.nats });
  const mongodbUrl = await mongodbUrlFor(name, wiring, ends.store);
  const network = await wiring.through(`${name}:network`, { port: ends.sandbox });
  const settings = {
    NATS_URL: `nats://${TOKEN}@${nats}`,
    MONGODB_URL: mongodbUrl,
    RECADO_SANDBOX_URL: `http://${network}/${TOKEN}`,
  };
  return { name, args: ['actors/main.ts'], settings };
}

/** A driver finds the servers of a set by itself, past any link. */
async function mongodbUrlFor(name: string, wiring: Wiring, store: Store): Promise<string> {
  if (store.upstream === null) return store.mongodbUrl;
  return await store.behind(await wiring.link(`${name}:mongo`, store.upstream));
}

async function gatewayPlan(name: string, wiring: Wiring, ends: Ends): Promise<Planned> {
  const nats = await wiring.through(`${name}:nats`, { port: ends.nats });
  return { name, args: ['gateway/main.ts'], settings: { NATS_URL: `nats://${TOKEN}@${nats}` } };
}

async function distinctPorts(): Promise<Ports> {
  const ports = new Set<number>();
  while (ports.size < 4) ports.add(await freePort(LOOPBACK));
  const [at = 0, nats = 0, sandbox = 0, subscriber = 0] = ports;
  return { public: at, nats, sandbox, subscriber };
}

function settingsOf(folder: string, ports: Ports, mongodbUrl: string) {
  return {
    ...environment(join(folder, 'tmp')),
    DATA_DIR: join(folder, 'data'),
    PORT: `${ports.public}`,
    NATS_PORT: `${ports.nats}`,
    SANDBOX_PORT: `${ports.sandbox}`,
    NATS_URL: natsServerUrl(ports.nats, TOKEN),
    MONGODB_URL: mongodbUrl,
    RECADO_SANDBOX_URL: `http://${LOOPBACK}:${ports.sandbox}/${TOKEN}`,
    PUBLIC_URL: `http://${LOOPBACK}:${ports.public}`,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    EVENTS_TO_LOOPBACK: 'true',
    EVENT_RETRY_SCHEDULE: RETRY_SCHEDULE,
    LOG_LEVEL: 'info',
  };
}
