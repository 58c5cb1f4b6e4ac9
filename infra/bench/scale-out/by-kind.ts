/** One process for each kind of actor that a message needs: the cost per kind. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTOR_KINDS, type ActorKind } from '../../../shared/vocabulary.ts';
import { ROOT } from '../child-processes.ts';
import { startService } from '../service.ts';
import type { Context } from '../suite.ts';
import { type Formation, formationOf } from './formations.ts';

/** The kinds that a message to a known contact meets; the others share one process. */
export const KINDS = ['conversation', 'channel', 'organization', 'subscription'] as const;

export async function startByKind(context: Context): Promise<Formation> {
  const roles = Object.fromEntries(KINDS.map((kind): [string, ActorKind[]] => [kind, [kind]]));
  const procfile = writeProcfile(context, { ...roles, others: kindsBeside(KINDS) });
  const service = await startService(context, { name: 'by-kind', procfile });
  return formationOf(context, 'a process per kind', service);
}

export function kindsBeside(named: readonly ActorKind[]): readonly ActorKind[] {
  return ACTOR_KINDS.filter((kind) => !named.includes(kind));
}

/**
 * A Procfile with these roles in place of the actors; an `--env-file` sets the kinds of each. Of
 * `actors` there are as many processes as the formation has, of any other role one.
 */
export function writeProcfile(
  context: Context,
  roles: Readonly<Record<string, readonly ActorKind[]>>,
): string {
  const folder = join(context.folder, 'kinds');
  mkdirSync(folder);
  const whole = readFileSync(join(ROOT, 'Procfile'), 'utf8').trim().split('\n');
  const own = Object.entries(roles).map(([name, kinds]) => {
    const file = join(folder, `${name}.env`);
    writeFileSync(file, `ACTORS=${kinds.join(',')}\n`);
    return `${name}: node --env-file=${file} actors/main.ts`;
  });
  const path = join(folder, 'Procfile');
  const lines = [...whole.filter((line) => !line.startsWith('actors:')), ...own];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
