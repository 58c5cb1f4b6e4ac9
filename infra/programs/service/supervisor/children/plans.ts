/** Turns the Procfile and the settings into the children to run. */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, Environment } from '../../../../config/config.ts';
import type { ChildPlan } from './child.ts';
import { environmentOf } from './environment.ts';
import type { RoleCommand } from './procfile.ts';

export interface PlanOptions {
  readonly commands: readonly RoleCommand[];
  readonly config: Config;
  readonly env: Environment;
  readonly root: string;
}

/** Every process to run. The operator's own NATS and MongoDB are not started. */
export function planChildren(options: PlanOptions): readonly ChildPlan[] {
  const { commands, config, root } = options;
  const logs = join(config.dataDir, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  return commands.flatMap(({ role, args }) => {
    const env = environmentOf(role, options.env);
    return Array.from({ length: processesOf(role, config) }, (_, index) => {
      const logFile = join(logs, index === 0 ? `${role}.log` : `${role}-${index + 1}.log`);
      rotateLog(logFile);
      return { role, args, cwd: root, env, logFile };
    });
  });
}

function processesOf(role: string, config: Config): number {
  if (role === 'gateway') return config.formation.gateway;
  if (role === 'panel') return config.formation.panel;
  if (role === 'actors') return config.formation.actors;
  if (role === 'nats') return config.natsUrl === undefined ? 1 : 0;
  if (role === 'mongo') return config.mongodbUrl === undefined ? 1 : 0;
  return 1;
}

/** Each start begins new logs and keeps the ones of the start before. */
function rotateLog(file: string): void {
  if (existsSync(file)) renameSync(file, `${file}.1`);
}
