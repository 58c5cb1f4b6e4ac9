/**
 * The operator's command line, run by a test.
 *
 * 1. `runHere` runs it in the test's own process: a start of one costs more than most commands.
 * 2. `spawnRecado` starts the process, for tests of what only a process has.
 * 3. Both end and print the same: tests/infra/cli/command.test.ts compares them.
 */
import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../../infra/programs/cli/run.ts';
import { bundled } from './bundled.ts';
import { type Ran, runProgram } from './run-program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'infra/programs/cli/main.ts');

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The project's folder unless given. */
  readonly cwd?: string;
  /** Standard input; empty unless given. */
  readonly input?: string;
}

/** Runs `recado ...args` in this process. */
export async function runHere(
  args: readonly string[],
  { env, cwd = ROOT, input = '' }: Surroundings,
): Promise<Ran> {
  const printed = { stdout: '', stderr: '' };
  const into = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text;
    },
  });
  const code = await run(args, {
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: into('stdout'),
    stderr: into('stderr'),
    environment: env,
    cwd,
  });
  return { code, ...printed };
}

/** Runs `recado ...args` as a process of its own. */
export async function spawnRecado(
  words: readonly string[],
  { env: given, cwd = ROOT, input = '' }: Surroundings,
): Promise<Ran> {
  const { args, env } = await bundled({ args: [MAIN, ...words], env: given });
  return await runProgram(process.execPath, args, { cwd, env, input });
}

/** The value that `recado --json ...args` prints in this process; fails unless it ends with 0. */
export async function printedValue(args: readonly string[], given: Surroundings): Promise<unknown> {
  const { code, stdout, stderr } = await runHere(['--json', ...args], given);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}
