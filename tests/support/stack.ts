/**
 * The real service for one test file: its supervisor with every role, on a folder and on ports of
 * its own. Nothing in it is a stand-in but the network, which is the bundled simulator.
 *
 * 1. A stack ends with its test process, however that ends: the supervisor watches the channel.
 * 2. `stop` fails unless the service ends by itself (C10.6) and leaves nothing behind.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { TERMINAL_EVENT } from '../../shared/log-events.ts';
import { type Api, apiOf } from './api.ts';
import { type Applied, AppliedSchema } from './applied.ts';
import { printedInTime, printedValue, runHere, spawnRecado } from './command-line.ts';
import { environment, type Launched, launch } from './launch.ts';
import { type Network, networkOf } from './network.ts';
import { processesNaming, runs } from './processes.ts';
import { pidOf, type Run, readRun } from './run-file.ts';
import type { Ran } from './run-program.ts';

const END_ANYWAY_MS = 10_000;

export interface Stack extends Api {
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Begins the references of organizations where other files use the same service. */
  readonly prefix: string;
  readonly sandboxUrl: string;
  readonly network: Network;
  /** `run.json` as it is now. */
  runFile(): Run;
  /** The one process of a role. */
  pid(role: string): number;
  /** Runs `recado ...args` in this process, with `input` as its standard input. */
  recado(args: readonly string[], input?: string): Promise<Ran>;
  /** Like `recado`, as a process: for what looks at one, signals it or stalls it. */
  spawnRecado(args: readonly string[], input?: string): Promise<Ran>;
  /** The value printed with `--json`, in this process; fails unless it ends with 0. */
  ask(...args: readonly string[]): Promise<unknown>;
  /** Applies a provisioning file given as a value. */
  apply(file: unknown): Promise<Applied>;
  /** The supervisor's output, and the last lines of each role's log. */
  story(): string;
  stop(): Promise<void>;
}

export interface StackOptions {
  /** Settings of the environment, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** With the demo of `npm start`, whose keys and link the story tells. */
  readonly demo?: boolean;
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  try {
    return await openStack(options);
  } catch (error) {
    endAnyway();
    throw error;
  }
}

/** Like `startStack`, for a process that is no test's. */
export async function openStack({ settings = {}, demo }: StackOptions = {}): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'recado-stack-'));
  const place = placeIn(folder);
  const { dataDir, env } = place;
  mkdirSync(place.temporary);
  // A panel costs a process: a file that needs one asks for it.
  const { FORMATION: given = '' } = settings;
  const formation = given.includes('panel=') ? given : [given, 'panel=0'].filter(Boolean).join(',');
  const args = ['infra/programs/service/supervisor/main.ts', ...(demo ? [] : ['--no-demo'])];
  const supervisor = launch(args, {
    ...env,
    PORT: '0',
    EVENTS_TO_LOOPBACK: 'true',
    LOG_LEVEL: 'warn',
    ...settings,
    FORMATION: formation,
  });
  const story = () => `${supervisor.output()}\n${logsOf(dataDir)}`;
  try {
    const isReady = () => supervisor.output().includes(TERMINAL_EVENT.ready);
    await supervisor.until(isReady, 'the stack is ready');
    return stackIn(place, {
      story,
      stop: (run) => stop({ ...place, supervisor, story }, run),
    });
  } catch (cause) {
    await supervisor.stop('SIGKILL');
    const error = new Error(`the stack did not start:\n${story()}`, { cause });
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Servers that a test opened before its stack would keep the failed file waiting for ever. */
function endAnyway(): void {
  setTimeout(() => process.exit(1), END_ANYWAY_MS).unref();
}

interface Place {
  readonly folder: string;
  readonly temporary: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

function placeIn(folder: string): Place {
  const temporary = join(folder, 'tmp');
  const dataDir = join(folder, 'data');
  return { folder, temporary, dataDir, env: { ...environment(temporary), DATA_DIR: dataDir } };
}

interface Holding {
  story(): string;
  stop(run: Run): Promise<void>;
}

function stackIn({ dataDir, env }: Place, holding: Holding): Stack {
  const { story } = holding;
  const runFile = () => readRun(dataDir);
  const { baseUrl, sandboxUrl } = runFile();
  return {
    ...apiOf(baseUrl),
    baseUrl,
    dataDir,
    prefix: '',
    sandboxUrl,
    network: networkOf(sandboxUrl),
    runFile,
    pid: (role) => pidOf(runFile(), role),
    recado: (args, input = '') => runHere(args, { env, input }),
    spawnRecado: (args, input = '') => spawnRecado(args, { env, input }),
    ask: (...args) => printedValue(args, { env }),
    apply: async (file) =>
      v.parse(
        AppliedSchema,
        await printedInTime(['apply', '-'], { env, input: JSON.stringify(file) }),
      ),
    story,
    stop: () => holding.stop(runFile()),
  };
}

interface Running extends Place {
  readonly supervisor: Launched;
  readonly story: () => string;
}

async function stop({ folder, temporary, supervisor, story }: Running, run: Run): Promise<void> {
  const pids = Object.values(run.pids).flat();
  const ending = await supervisor.stop();
  const left = [...new Set([...pids.filter(runs), ...processesNaming(folder)])];
  const files = readdirSync(temporary);
  if (ending !== 0 || left.length > 0) process.stderr.write(story());
  for (const pid of left) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  assert.equal(ending, 0, 'the supervisor ends with 0');
  assert.deepEqual(left, [], 'no process remains');
  assert.deepEqual(files, [], 'no temporary file remains');
  assert.equal(existsSync(folder), false, 'no folder remains');
}

const TOLD_CHARS = 4_000;

function logsOf(dataDir: string): string {
  const logs = join(dataDir, 'logs');
  if (!existsSync(logs)) return '';
  return readdirSync(logs)
    .map((name) => `--- ${name}\n${readFileSync(join(logs, name), 'utf8').slice(-TOLD_CHARS)}`)
    .join('\n');
}
