/**
 * The operator's command line, run by a test.
 *
 * 1. `runHere` runs it in the test's own process: a start of one costs more than most commands.
 * 2. `spawnRecado` starts the process, for tests of what only a process has.
 * 3. Both end and print the same: tests/parts/infra/programs/cli/command.test.ts compares them.
 */
import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../../infra/programs/cli/run.ts';
import { type Ran, runProgram } from './run-program.ts';
import { waitFor } from './wait-for.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'infra/programs/cli/main.ts');
/** Told on a slow machine, whatever the command. */
const NOTICES = /^recado: waiting for the (NATS server at \S+|service( to answer)?)\n/gm;
const LATE = 'The service did not answer in time';

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
  { env, cwd = ROOT, input = '' }: Surroundings,
): Promise<Ran> {
  return await runProgram(process.execPath, [MAIN, ...words], { cwd, env, input });
}

/** As it would have ended on a machine that answers at once. */
export function withoutNotices({ stderr, ...ran }: Ran): Ran {
  return { ...ran, stderr: stderr.replace(NOTICES, '') };
}

/** The value that `recado --json ...args` prints in this process; fails unless it ends with 0. */
export async function printedValue(args: readonly string[], given: Surroundings): Promise<unknown> {
  return printedBy(args, await runHere(['--json', ...args], given));
}

/** As `printedValue`, of a command that may be repeated: asks again while its answer is late. */
export async function printedInTime(
  args: readonly string[],
  given: Surroundings,
): Promise<unknown> {
  const inTime = async (): Promise<Ran | null> => {
    const ran = await runHere(['--json', ...args], given);
    return ran.stderr.includes(LATE) ? null : ran;
  };
  return printedBy(args, await waitFor(inTime, { what: `an answer to ${args.join(' ')}` }));
}

function printedBy(args: readonly string[], { code, stdout, stderr }: Ran): unknown {
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}
