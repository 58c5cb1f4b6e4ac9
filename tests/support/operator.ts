/**
 * The operator's commands in the test's own process: the same program over the same bus, without
 * the start of a process for each. Tests of the command line itself run `recado`.
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { systemClock } from '../../infra/adapters/clock/clock.ts';
import { loadConfig } from '../../infra/config/config.ts';
import { createProgram } from '../../infra/programs/cli/program.ts';
import { openService } from '../../infra/programs/cli/service.ts';
import type { Log } from '../../shared/ports/log.ts';

const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * The printed value of `recado --json ...words`.
 * @throws {Error} where the command would not end with 0
 */
export async function operate(
  words: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<unknown> {
  const config = loadConfig(env);
  let printed = '';
  const program = createProgram({
    open: (timeoutMs) => openService({ config, log: SILENT, timeoutMs: timeoutMs }),
    examine: () => assert.fail('doctor looks at its own process: run it as one'),
    setFailed: () => assert.fail(`${words.join(' ')} failed: ${printed}`),
    log: SILENT,
    invocation: { cwd: env.TMPDIR ?? '/', calledFrom: undefined, stdin: Readable.from([input]) },
    now: systemClock.now,
    write: (text) => {
      printed += text;
    },
  });
  await program.parseAsync(['--json', ...words], { from: 'user' });
  return JSON.parse(printed);
}
