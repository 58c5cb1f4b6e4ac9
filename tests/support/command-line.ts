/** The operator's command line in the test's own process: nothing is started for a command. */

import { loadConfig } from '../../infra/config/config.ts';
import { createProgram } from '../../infra/programs/cli/program.ts';
import { openService } from '../../infra/programs/cli/service.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Ran, Stack } from './stack.ts';

const quiet = (): void => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Runs `recado …args`; throws what the process would report. */
export async function runHere(
  { dataDir }: Pick<Stack, 'dataDir'>,
  ...args: readonly string[]
): Promise<Omit<Ran, 'stderr'>> {
  const config = loadConfig({ DATA_DIR: dataDir });
  const ran = { code: 0, stdout: '' };
  const program = createProgram({
    open: (timeoutMs) => openService({ config, log, timeoutMs: timeoutMs }),
    examine: () => Promise.resolve({ ok: true, checks: [] }),
    setFailed: () => {
      ran.code = 1;
    },
    log,
    invocation: { cwd: dataDir, calledFrom: undefined, stdin: process.stdin },
    now: Date.now,
    write: (text) => {
      ran.stdout += text;
    },
  });
  program.configureOutput({ writeErr: quiet });
  await program.parseAsync(['node', 'recado', ...args]);
  return ran;
}
