/** Turns the Procfile and the settings into the children to run. */
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, Environment } from '../../../config/config.ts';
import { type Bundles, type BundlesOptions, prepareBundles } from './bundles/bundles.ts';
import type { ChildPlan } from './child.ts';
import { environmentOf } from './child-environment.ts';
import { parseProcfile, type RoleCommand } from './procfile.ts';

export interface PlanOptions {
  readonly commands: readonly RoleCommand[];
  readonly config: Config;
  readonly env: Environment;
  readonly root: string;
  /** Null: every role starts from its source. */
  readonly bundles: Bundles | null;
}

export type BundlePlace = Pick<BundlesOptions, 'root' | 'report'>;

/** Bundles of the project's own roles, whatever the Procfile is; null where none of them runs. */
export async function bundlesFor(
  commands: readonly RoleCommand[],
  place: BundlePlace,
): Promise<Bundles | null> {
  const entries = rolesOf(place.root);
  if (!commands.some(({ args }) => args.some((word) => entries.includes(word)))) return null;
  return await ownBundles(place);
}

/** Bundles of all of the project's own programs; null where they start from their sources. */
export async function ownBundles({ root, report }: BundlePlace): Promise<Bundles | null> {
  const place = join(root, '.runtime', 'programs');
  return await prepareBundles({ root, place, groups: [rolesOf(root), BESIDE], report });
}

/** Programs beside the roles. Files of their own: in common ones a role would load more of them. */
const BESIDE = ['infra/programs/cli/main.ts', 'infra/programs/service/supervisor/main.ts'];

/** Programs of the project's own Procfile; none where it cannot be read. */
function rolesOf(root: string): readonly string[] {
  try {
    const own = parseProcfile(readFileSync(join(root, 'Procfile'), 'utf8'));
    return own.flatMap(({ args }) => args.filter((word) => /^\w[\w/-]*\.ts$/.test(word)));
  } catch {
    return [];
  }
}

/** Every process to run. The operator's own NATS and MongoDB are not started. */
export function planChildren(options: PlanOptions): readonly ChildPlan[] {
  const { commands, config, root, bundles } = options;
  const logs = join(config.dataDir, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  return commands.flatMap(({ role, args }) => {
    const env = environmentOf(role, options.env);
    return Array.from({ length: processesOf(role, config) }, (_, index) => {
      const logFile = join(logs, index === 0 ? `${role}.log` : `${role}-${index + 1}.log`);
      rotateLog(logFile);
      const bundled = () => bundles?.commandOf({ args, env }) ?? null;
      return { role, args, cwd: root, env, bundled, logFile };
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
