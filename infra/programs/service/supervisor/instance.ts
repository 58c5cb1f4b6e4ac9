/** One instance on one data folder, from its lock to its last process's end. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { sentenceOf } from '../../../adapters/log/sentence.ts';
import { serveMetrics } from '../../../adapters/metrics/serve.ts';
import { natsSettings } from '../../../adapters/nats/access.ts';
import type { Config, Environment } from '../../../config/config.ts';
import { gatewayUrl, resolveAddresses } from './addresses.ts';
import type { DeathReporter } from './children/death-reporter.ts';
import { childEnvironment, type Resolved } from './children/environment.ts';
import { planChildren } from './children/plans.ts';
import { parseProcfile, type RoleCommand } from './children/procfile.ts';
import { describeFreeSpace, PersistentValue } from './data-folder/disk-space.ts';
import { orRefuse, reportFailures, requireWritable } from './data-folder/folder.ts';
import { type DataLock, lockData } from './data-folder/lock.ts';
import { type RunFile, removeRunFile, writeRunFile } from './data-folder/run-file.ts';
import { Service } from './service.ts';
import { type Probe, probesOf } from './start/probes.ts';
import { StartRefused } from './start/start-refused.ts';

const METRICS_HOST = '127.0.0.1';
/** run.json names these even where no process of theirs runs here. */
const ROLES = ['gateway', 'panel', 'actors', 'nats', 'mongo', 'sandbox'];

export interface InstanceOptions {
  readonly config: Config;
  readonly env: Environment;
  /** The repository's root: where the roles are run. */
  readonly root: string;
  readonly procfile: string;
  readonly deathReporter: (mongodbUrl: string) => DeathReporter;
  readonly report: (sentence: string) => void;
}

export interface Instance {
  readonly urls: Omit<RunFile, 'node' | 'pids'>;
  /** Null where no panel runs. */
  readonly panelListensAt: string | null;
  /** The environment of its roles. */
  readonly env: Environment;
  readonly deathReporter: DeathReporter;
  /** The servers that the roles depend on. */
  readonly probes: readonly Probe[];
  /** The reason for which a role refuses to start; pending while there is none. */
  readonly refused: Promise<string>;
  start(): void;
  stop(): Promise<void>;
}

/**
 * Locks the data folder and resolves every address; nothing runs before `start`.
 * @throws {StartRefused}
 */
export async function prepareInstance(options: InstanceOptions): Promise<Instance> {
  const { config, root, report } = options;
  const { dataDir } = config;
  const commands = readProcfile(options.procfile);
  const attempt = reportFailures(report);
  const lock = await lockData(dataDir);
  process.once('exit', () => attempt(() => lock.release()));
  requireWritable(config);
  removeRunFile(dataDir);
  const resolved = await resolveAddresses(config);
  const env = childEnvironment(options.env, resolved);
  const hasPanel = config.formation.panel > 0 && commands.some(({ role }) => role === 'panel');
  const panelListensAt = hasPanel ? gatewayUrl(config.host, resolved.panelPort) : null;
  const urls = urlsOf(config, resolved, panelListensAt);
  const deathReporter = options.deathReporter(urls.mongodbUrl);
  const refusal = Promise.withResolvers<string>();
  const running = persistentRunFile({ lock, dataDir, urls, report });
  const plans = orRefuse(dataDir, () => planChildren({ commands, config, env, root }));
  const service = new Service(namesOf(commands), plans, {
    refused: refusal.resolve,
    warn: (sentence) => report(`${sentence}${describeFreeSpace(dataDir)}`),
    died: (role, processId) => {
      if (role !== 'actors') return;
      void deathReporter.markDead(processId).then(() => service.noticeDeath());
    },
    changed: (pids) => running.set(pids),
  });
  process.once('exit', () => service.kill());
  let metrics: Server | undefined;
  return {
    urls,
    panelListensAt,
    env,
    deathReporter,
    probes: probesOf(config, resolved),
    refused: refusal.promise,
    start: () => {
      metrics = metricsOf(service, { port: resolved.metricsPort, report });
      service.start();
    },
    stop: async () => {
      await deathReporter.close();
      await service.stop();
      running.close();
      metrics?.close();
      attempt(() => removeRunFile(dataDir));
    },
  };
}

function namesOf(commands: readonly RoleCommand[]): readonly string[] {
  return [...new Set([...ROLES, ...commands.map((command) => command.role)])];
}

interface RunFileOptions extends Pick<InstanceOptions, 'report'> {
  readonly lock: DataLock;
  readonly dataDir: string;
  readonly urls: Instance['urls'];
}

/** The processes that run, in `run.json` and in the lock. */
function persistentRunFile({
  lock,
  dataDir,
  urls,
  report,
}: RunFileOptions): PersistentValue<RunFile['pids']> {
  return new PersistentValue({
    what: 'run.json',
    report,
    write: (pids) => {
      lock.note(Object.values(pids).flat());
      writeRunFile(dataDir, { ...urls, node: process.execPath, pids });
    },
  });
}

function urlsOf(
  config: Config,
  resolved: Resolved,
  panelListensAt: string | null,
): Instance['urls'] {
  const { natsUrl, mongodbUrl, sandboxUrl, metricsPort } = resolved;
  return {
    baseUrl: gatewayUrl(config.host, resolved.port),
    panelUrl: panelListensAt && (config.panelPublicUrl ?? panelListensAt),
    ...natsSettings({ ...config, natsUrl }),
    natsPrefix: config.natsPrefix,
    mongodbUrl,
    sandboxUrl,
    metricsUrl: `http://${METRICS_HOST}:${metricsPort}/metrics`,
  };
}

function metricsOf(
  service: Service,
  { port, report }: Pick<InstanceOptions, 'report'> & { readonly port: number },
): Server {
  return serveMetrics(
    { host: METRICS_HOST, port },
    {
      read: () => service.metricsPage(),
      failed: (error) => report(`no metrics: ${error.message}`),
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
