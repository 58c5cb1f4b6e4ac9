/** The only place that reads this process's environment, and the one way a main starts. */
import {
  type Config,
  ConfigError,
  type Environment,
  type FrontConfig,
  loadConfig,
  loadFrontConfig,
  loadRoleConfig,
  type RoleConfig,
} from './config.ts';
import { requireNatsFiles } from './nats-files.ts';
import { STORE_SETTINGS } from './settings.ts';

/** The environment of this process, to pass to children. */
export function environment(): Environment {
  return process.env;
}

/** Makes `folder` this process's temporary folder, for a library that asks the system for it. */
export function useTemporaryFolder(folder: string): void {
  process.env.TMPDIR = folder;
}

/** This process's settings; on a mistake it prints one sentence per problem and exits 1. */
export function configOrExit(): Config {
  return orExit(() => loadConfig(process.env));
}

/** Like `configOrExit`, for a role that needs NATS, MongoDB and the secrets' key. */
export function roleConfigOrExit(): RoleConfig {
  return orExit(() => loadRoleConfig(process.env));
}

/** Like `configOrExit`, for a role that needs NATS; what leads to the store is not kept. */
export function frontConfigOrExit(): FrontConfig {
  for (const name of STORE_SETTINGS) delete process.env[name];
  return orExit(() => loadFrontConfig(process.env));
}

function orExit<T extends Config | FrontConfig>(load: () => T): T {
  try {
    const config = load();
    requireNatsFiles(config);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}
