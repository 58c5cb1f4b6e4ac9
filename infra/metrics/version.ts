/** The version of Recado, as its package says. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';

const file = new URL('../../package.json', import.meta.url);

export const VERSION = v.parse(
  v.object({ version: v.string() }),
  JSON.parse(readFileSync(file, 'utf8')),
).version;
