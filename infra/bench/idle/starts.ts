/** Duration of `npm start` on a complete installation, and the installation's size on disk. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../child-processes.ts';
import { type BenchService, startService } from '../service.ts';
import type { Context } from '../suite.ts';

export interface Started {
  readonly service: BenchService;
  readonly seconds: number;
}

/** From the command to the line with all addresses; `name` is the data's folder. */
export async function timedStart(context: Context, name: string, cache: string): Promise<Started> {
  const settings = { NODE_COMPILE_CACHE: join(context.folder, cache) };
  const startedAt = performance.now();
  const service = await startService(context, { name, settings });
  return { service, seconds: (performance.now() - startedAt) / 1000 };
}

const BYTES_PER_MB = 1_000_000;

/** Size of a folder of the repository in megabytes; 0 when it is not there. */
export function folderMb(path: string): number {
  return Math.round(bytesIn(join(ROOT, path)) / BYTES_PER_MB);
}

function bytesIn(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  const entries = readdirSync(path, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isSymbolicLink())
    .reduce((sum, entry) => sum + bytesIn(join(path, entry.name)), 0);
}
