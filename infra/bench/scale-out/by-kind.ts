/** One process for each kind of actor that a message needs: the cost per kind. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import { ROOT } from '../child-processes.ts';
import { startService } from '../service.ts';
import type { Context } from '../suite.ts';
import { type Formation, formationOf } from './formations.ts';

/** The kinds that a message to a known contact meets; the others share one process. */
export const KINDS = ['conversation', 'channel', 'organization', 'subscription'] as const;

export async function startByKind(context: Context): Promise<Formation> {
  const procfile = writeProcfile(join(context.folder, 'kinds'));
  const service = await startService(context, { name: 'by-kind', procfile });
  return formationOf(context, 'a process per kind', service);
}

/** One actors role per kind; an `--env-file` sets its kind. */
function writeProcfile(folder: string): string {
  mkdirSync(folder);
  const alone: readonly string[] = KINDS;
  const others = ACTOR_KINDS.filter((kind) => !alone.includes(kind));
  const role = (name: string, kinds: readonly string[]): string => {
    const file = join(folder, `${name}.env`);
    writeFileSync(file, `ACTORS=${kinds.join(',')}\n`);
    return `${name}: node --env-file=${file} actors/main.ts`;
  };
  const whole = readFileSync(join(ROOT, 'Procfile'), 'utf8').trim().split('\n');
  const lines = [
    ...whole.filter((line) => !line.startsWith('actors:')),
    ...KINDS.map((kind) => role(kind, [kind])),
    role('others', others),
  ];
  const path = join(folder, 'Procfile');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
