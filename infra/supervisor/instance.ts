/** One instance on one data folder, from its lock to its last process's end. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Config, Environment } from '../config/config.ts';
import { sentenceOf } from '../log/sentence.ts';
import { serveMetrics } from '../metrics/serve.ts';
import { gatewayUrl, resolveAddresses } from './addresses.ts';
import { childEnvironment, type Resolved } from './child-environment.ts';
import { orRefuse, orTell, requireWritable } from './data-folder.ts';
import { type DataLock, lockData } from './data-lock.ts';
import type { DeathNotices } from './mark-dead.ts';
import { planChildren } from './plans.ts';
import { type Probe, probesOf } from './probes.ts';
import { parseProcfile, type RoleCommand } from './procfile.ts';
import { PersistentValue, roomWords } from './room.ts';
import { type RunFile, removeRunFile, writeRunFile } from './run-file.ts';
import { Service } from './service.ts';
import { StartRefused } from './start-refused.ts';

const METRICS_HOST = '127.0.0.1';
/** run.json names these even where no process of theirs runs here. */
const ROLES = ['gateway', 'actors', 'nats', 'mongo', 'sandbox'];

export interface InstanceOptions {
  readonly config: Config;
  readonly env: Environment;
  /** The repository's root: where the roles are run. */
  readonly root: string;
  readonly procfile: string;
  readonly notices: (mongodbUrl: string) => DeathNotices;
  readonly tell: (sentence: string) => void;
}

export interface Instance {
  readonly urls: Omit<RunFile, 'node' | 'pids'>;
  /** What its roles are told. */
  readonly env: Environment;
  readonly notices: DeathNotices;
  /** The servers that the roles stand on. */
  readonly probes: readonly Probe[];
  /** Why a role must not start as things are; pending while there is none. */
  readonly refused: Promise<string>;
  start(): void;
  stop(): Promise<void>;
}

/**
 * Locks the data folder and settles every address; nothing runs before `start`.
 * @throws {StartRefused}
 */
export async function prepareInstance(options: InstanceOptions): Promise<Instance> {
  const { config, root, tell } = options;
  const { dataDir } = config;
  const commands = readProcfile(options.procfile);
  const attempt = orTell(tell);
  const lock = await lockData(dataDir);
  process.once('exit', () => attempt(() => lock.release()));
  requireWritable(config);
  removeRunFile(dataDir);
  const resolved = await resolveAddresses(config);
  const env = childEnvironment(options.env, resolved);
  const urls = urlsOf(config, resolved);
  const notices = options.notices(urls.mongodbUrl);
  const roles = [...new Set([...ROLES, ...commands.map((command) => command.role)])];
  const refusal = Promise.withResolvers<string>();
  const running = keptRunFile({ lock, dataDir, urls, tell });
  const plans = orRefuse(dataDir, () => planChildren({ commands, config, env, root }));
  const service = new Service(roles, plans, {
    refused: refusal.resolve,
    warn: (sentence) => tell(`${sentence}${roomWords(dataDir)}`),
    died: (role, processId) => {
      if (role === 'actors') void notices.tell(processId);
    },
    changed: (pids) => running.set(pids),
  });
  process.once('exit', () => service.kill());
  let metrics: Server | undefined;
  return {
    urls,
    env,
    notices,
    probes: probesOf(config, resolved),
    refused: refusal.promise,
    start: () => {
      metrics = metricsOf(service, { port: resolved.metricsPort, tell });
      service.start();
    },
    stop: async () => {
      await notices.close();
      await service.stop();
      running.close();
      metrics?.close();
      attempt(() => removeRunFile(dataDir));
    },
  };
}

interface KeptRunFile extends Pick<InstanceOptions, 'tell'> {
  readonly lock: DataLock;
  readonly dataDir: string;
  readonly urls: Instance['urls'];
}

/** The processes that run, in `run.json` and in the lock. */
function keptRunFile({ lock, dataDir, urls, tell }: KeptRunFile): PersistentValue<RunFile['pids']> {
  return new PersistentValue({
    what: 'run.json',
    tell,
    write: (pids) => {
      lock.note(Object.values(pids).flat());
      writeRunFile(dataDir, { ...urls, node: process.execPath, pids });
    },
  });
}

function urlsOf(config: Config, resolved: Resolved): Instance['urls'] {
  const { natsUrl, mongodbUrl, sandboxUrl, metricsPort } = resolved;
  return {
    baseUrl: gatewayUrl(config.host, resolved.port),
    natsUrl,
    mongodbUrl,
    sandboxUrl,
    metricsUrl: `http://${METRICS_HOST}:${metricsPort}/metrics`,
  };
}

function metricsOf(
  service: Service,
  { port, tell }: Pick<InstanceOptions, 'tell'> & { readonly port: number },
): Server {
  return serveMetrics(
    { host: METRICS_HOST, port },
    {
      read: () => service.metricsPage(),
      failed: (error) => tell(`no metrics: ${error.message}`),
    },
  );
}

function readProcfile(file: string): readonly RoleCommand[] {
  try {
    return parseProcfile(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new StartRefused(`The Procfile cannot be read: ${sentenceOf(cause)}.`, { cause });
  }
}
