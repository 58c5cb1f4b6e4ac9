/** The whole service for a suite: its supervisor with every role, in a folder of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { TERMINAL_EVENT } from '../../shared/log-events.ts';
import { ROOT, type StartedProcess } from './child-processes.ts';
import type { Context } from './suite.ts';

const RunSchema = v.object({
  baseUrl: v.string(),
  /** A formation, or an older checkout, may have no panel. */
  panelUrl: v.nullish(v.string()),
  natsUrl: v.string(),
  mongodbUrl: v.string(),
  sandboxUrl: v.string(),
  metricsUrl: v.string(),
  pids: v.record(v.string(), v.array(v.number())),
});
type Run = v.InferOutput<typeof RunSchema>;

const AppliedSchema = v.object({
  orgs: v.record(
    v.string(),
    v.object({
      id: v.string(),
      channels: v.record(v.string(), v.object({ id: v.string() })),
      /** Ids by reference. */
      flows: v.optional(v.record(v.string(), v.string())),
      files: v.optional(v.record(v.string(), v.string())),
    }),
  ),
});
type Applied = v.InferOutput<typeof AppliedSchema>;

export interface BenchService {
  readonly dataDir: string;
  /** `run.json` as it is now. */
  run(): Run;
  apply(file: unknown): Promise<Applied>;
  /** The value that `recado --json ...words` prints. */
  recado(...words: readonly string[]): Promise<unknown>;
  stop(): Promise<void>;
}

export interface ServicePlan {
  /** Of its folder below the suite's. */
  readonly name?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Other roles than those of the repository's own. */
  readonly procfile?: string;
  /** Root of the checkout that is run; this one's unless given. */
  readonly root?: string;
}

export async function startService(
  { folder, children }: Context,
  { name = 'data', settings = {}, procfile = 'Procfile', root = ROOT }: ServicePlan = {},
): Promise<BenchService> {
  const dataDir = join(folder, name);
  const env = { PORT: '0', LOG_LEVEL: 'info', ...settings, DATA_DIR: dataDir };
  const args = ['infra/programs/service/supervisor/main.ts', '--no-demo', '--procfile', procfile];
  const child: StartedProcess = await children.start({
    args,
    readyOutput: TERMINAL_EVENT.ready,
    env,
    root,
  });
  const cli = 'infra/programs/cli/main.ts';
  return {
    dataDir,
    run: () => v.parse(RunSchema, JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8'))),
    async apply(file) {
      const input = JSON.stringify(file);
      const printed = await children.run([cli, 'apply', '-'], { input, env, root });
      return v.parse(AppliedSchema, JSON.parse(printed));
    },
    recado: async (...words) =>
      JSON.parse(await children.run([cli, '--json', ...words], { env, root })),
    stop: () => child.stop(),
  };
}
