/** The environment of a process that finds its compiled code: its start costs half as much. */
import { join, resolve } from 'node:path';

export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: join(resolve(import.meta.dirname, '../..'), '.runtime', 'compile-cache'),
} as const;
