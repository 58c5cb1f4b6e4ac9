/** One instance on one data folder, from its lock to its last process's end. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Config, Environment } from '../config/config.ts';
import { serveMetrics } from '../metrics/serve.ts';
import { gatewayUrl, resolveAddresses } from './addresses.ts';
import { childEnvironment } from './child-environment.ts';
import { lockData } from './data-lock.ts';
import type { DeathNotices } from './mark-dead.ts';
import { planChildren } from './plans.ts';
import { parseProcfile } from './procfile.ts';
import { type RunFile, removeRunFile, writeRunFile } from './run-file.ts';
import { Service } from './service.ts';

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
  const commands = parseProcfile(readFileSync(options.procfile, 'utf8'));
  const lock = await lockData(dataDir);
  process.once('exit', () => lock.release());
  removeRunFile(dataDir);
  const resolved = await resolveAddresses(config);
  const env = childEnvironment(options.env, resolved);
  const { natsUrl, mongodbUrl, sandboxUrl, metricsPort } = resolved;
  const baseUrl = gatewayUrl(config.host, resolved.port);
  const metricsUrl = `http://${METRICS_HOST}:${metricsPort}/metrics`;
  const urls = { baseUrl, natsUrl, mongodbUrl, sandboxUrl, metricsUrl };
  const notices = options.notices(mongodbUrl);
  const roles = [...new Set([...ROLES, ...commands.map((command) => command.role)])];
  const service = new Service(roles, planChildren({ commands, config, env, root }), {
    warn: tell,
    died: (role, processId) => {
      if (role === 'actors') void notices.tell(processId);
    },
    changed: (pids) => {
      lock.note(Object.values(pids).flat());
      writeRunFile(dataDir, { ...urls, node: process.execPath, pids });
    },
  });
  process.once('exit', () => service.kill());
  let metrics: Server | undefined;
  return {
    urls,
    env,
    notices,
    start: () => {
      metrics = serveMetrics(
        { host: METRICS_HOST, port: metricsPort },
        {
          read: () => service.metricsPage(),
          failed: (error) => tell(`no metrics: ${error.message}`),
        },
      );
      service.start();
    },
    stop: async () => {
      await notices.close();
      await service.stop();
      metrics?.close();
      removeRunFile(dataDir);
    },
  };
}
