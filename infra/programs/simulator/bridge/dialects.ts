/** The spelling of each engine. */
import type { Engine } from './engines.ts';
import { gows } from './gows.ts';
import type { Dialect } from './message.ts';
import { noweb } from './noweb.ts';
import { webjs } from './webjs.ts';

const DIALECTS: Readonly<Record<Engine, Dialect>> = { webjs, noweb, gows };

export function dialectOf(engine: Engine): Dialect {
  return DIALECTS[engine];
}
