/** The description of a running service, which its supervisor writes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const RunSchema = v.object({
  baseUrl: v.string(),
  panelUrl: v.nullable(v.string()),
  natsUrl: v.string(),
  mongodbUrl: v.string(),
  sandboxUrl: v.string(),
  metricsUrl: v.string(),
  node: v.string(),
  pids: v.record(v.string(), v.array(v.number())),
});
export type Run = v.InferOutput<typeof RunSchema>;

export function readRun(dataDir: string): Run {
  return v.parse(RunSchema, JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')));
}

/** The first process of a role. */
export function pidOf({ pids }: Run, role: string): number {
  const [pid] = pids[role] ?? [];
  assert.ok(pid !== undefined, `${role} runs`);
  return pid;
}
