/** The processes of a run and the links between them: which connects to which, and through what. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ChildPlan } from '../../../../infra/programs/service/supervisor/children/child.ts';
import { freePort } from '../../../../infra/programs/service/supervisor/ports.ts';
import { environment, ROOT } from '../../../support/launch.ts';
import { type Bus, CLUSTER_PORTS, clusterBus, embeddedBus } from './buses.ts';
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
  /** Three NATS servers in place of one. */
  readonly natsCluster: boolean;
}

export async function layOut(options: LayoutOptions): Promise<Layout> {
  const { folder } = options;
  const { store } = options;
  const wiring = new Wiring(options.unit);
  const [nats = 0, ...others] = await distinctPorts(4 + CLUSTER_PORTS);
  const [at = 0, sandbox = 0, subscriber = 0, ...members] = others;
  const ports: Ports = { public: at, sandbox, subscriber };
  const bus = options.natsCluster
    ? await clusterBus(folder, members, (name, upstream) => wiring.link(name, upstream))
    : embeddedBus(nats, TOKEN);
  const env = settingsOf(folder, ports, store.mongodbUrl, bus);
  const ends: Ends = { ...ports, store, bus };
  const named = (role: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${role}-${index + 1}`);
  const planned = await Promise.all([
    ...bus.servers,
    ...boxesAround(folder, ports, { store, bus }),
    ...named('actors', options.actors).map((name) => actorsPlan(name, wiring, ends)),
    ...named('gateway', options.gateways).map((name) => gatewayPlan(name, wiring, ends)),
  ]);
  const parts = planned.map(({ name, args, settings = {} }): Part => {
    const logFile = join(folder, `${name}.log`);
    const command = { args, env: { ...env, ...settings } };
    return { name, plan: { role: roleOf(name), ...command, cwd: ROOT, logFile } };
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
  readonly sandbox: number;
  readonly subscriber: number;
}

/** Endpoints of the links. */
interface Ends extends Ports {
  readonly store: Store;
  readonly bus: Bus;
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
  { store, bus }: Pick<Ends, 'store' | 'bus'>,
): readonly Planned[] {
  const journal = (name: string) => join(folder, `${name}.jsonl`);
  const program = (name: string) => `tests/faults/chaos/program/${name}.ts`;
  const mongo = { name: 'mongo', args: ['infra/programs/service/mongo-engine/main.ts'] };
  return [
    ...(store.upstream === null ? [] : [mongo]),
    {
      name: 'network',
      args: [program('network'), journal('network'), join(folder, 'channels.json')],
      settings: bus.settings('sandbox'),
    },
    { name: 'subscriber', args: [program('subscriber'), `${subscriber}`, journal('subscriber')] },
  ];
}

async function actorsPlan(name: string, wiring: Wiring, ends: Ends): Promise<Planned> {
  const nats = await ends.bus.through(name, 'actors', (...link) => wiring.link(...link));
  const mongodbUrl = await mongodbUrlFor(name, wiring, ends.store);
  const network = await wiring.through(`${name}:network`, { port: ends.sandbox });
  const settings = {
    ...nats,
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
  const settings = await ends.bus.through(name, 'gateway', (...link) => wiring.link(...link));
  return { name, args: ['gateway/main.ts'], settings };
}

async function distinctPorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(LOOPBACK));
  return [...ports];
}

function settingsOf(folder: string, ports: Ports, mongodbUrl: string, bus: Bus) {
  return {
    ...environment(join(folder, 'tmp')),
    DATA_DIR: join(folder, 'data'),
    PORT: `${ports.public}`,
    SANDBOX_PORT: `${ports.sandbox}`,
    ...bus.settings('operator'),
    MONGODB_URL: mongodbUrl,
    RECADO_SANDBOX_URL: `http://${LOOPBACK}:${ports.sandbox}/${TOKEN}`,
    PUBLIC_URL: `http://${LOOPBACK}:${ports.public}`,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    EVENTS_TO_LOOPBACK: 'true',
    EVENT_RETRY_SCHEDULE: RETRY_SCHEDULE,
    LOG_LEVEL: 'info',
  };
}
