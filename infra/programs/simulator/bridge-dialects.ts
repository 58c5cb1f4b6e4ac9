/** The spelling of each engine. */
import type { Engine } from './bridge-engines.ts';
import { gows } from './bridge-gows.ts';
import type { Dialect } from './bridge-message.ts';
import { noweb } from './bridge-noweb.ts';
import { webjs } from './bridge-webjs.ts';

const DIALECTS: Readonly<Record<Engine, Dialect>> = { webjs, noweb, gows };

export function dialectOf(engine: Engine): Dialect {
  return DIALECTS[engine];
}
