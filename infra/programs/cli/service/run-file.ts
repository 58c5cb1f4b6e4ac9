/** Where the service that `npm start` runs is: `DATA_DIR/run.json` (C11.17). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { type NatsSettings, natsSettings } from '../../../adapters/nats/access.ts';
import type { Config } from '../../../config/config.ts';

const runFileSchema = v.object({
  natsUrl: v.string(),
  natsCaFile: v.optional(v.string()),
  natsCredsFile: v.optional(v.string()),
  natsPrefix: v.optional(v.string()),
  mongodbUrl: v.string(),
  sandboxUrl: v.optional(v.string()),
  pids: v.optional(v.record(v.string(), v.array(v.number())), {}),
});

export type RunFile = v.InferOutput<typeof runFileSchema>;

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

/** How NATS is reached: as the settings say, else as the running service does; null without both. */
export function natsOf(config: Config, run: RunFile | null): NatsSettings | null {
  const { natsUrl } = config;
  if (natsUrl !== undefined) return natsSettings({ ...config, natsUrl });
  return run && natsSettings(run);
}

/** Null while there is none, or none that can be read. */
export async function readRunFile(dataDir: string): Promise<RunFile | null> {
  try {
    const text = await readFile(join(dataDir, 'run.json'), 'utf8');
    const read = v.safeParse(runFileSchema, JSON.parse(text));
    return read.success ? read.output : null;
  } catch (cause) {
    if (isMissing(cause) || cause instanceof SyntaxError) return null;
    throw cause;
  }
}
