/** Runs a supervisor over stand-in roles in a folder of its own, and leaves nothing behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { TERMINAL_EVENT } from '../../../../../shared/log-events.ts';
import { COMPILE_CACHE } from '../../../compile-cache.ts';

const ROOT = resolve(fileURLToPath(new URL('../../../../..', import.meta.url)));
const ENVIRONMENT = { PATH: '/usr/bin:/bin', PORT: '0', ...COMPILE_CACHE };
const TIMEOUT_MS = 90_000;
const POLL_MS = 10;

const RunSchema = v.object({
  baseUrl: v.string(),
  natsUrl: v.string(),
  mongodbUrl: v.string(),
  sandboxUrl: v.string(),
  metricsUrl: v.string(),
  node: v.string(),
  pids: v.record(v.string(), v.array(v.number())),
});
export type Run = v.InferOutput<typeof RunSchema>;

export const STAND_INS = {
  gateway: 'node tests/support/stand-ins/roles/gateway.ts',
  idle: 'node tests/support/stand-ins/roles/idle.ts',
  stubborn: 'node tests/support/stand-ins/roles/stubborn.ts',
  nats: 'node infra/programs/nats-server/main.ts',
  mongo: 'node infra/programs/mongo-engine/main.ts',
} as const;

export interface Supervised {
  readonly process: ChildProcess;
  output(): string;
  /** The code with which it ended. */
  ended: Promise<number | null>;
  run(): Run;
}

export interface Manner {
  /** Beside the Procfile's. */
  readonly words?: readonly string[];
  /** The user and group who run it. */
  readonly uid?: number;
}

export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'recado-test-'));
  readonly #started: Supervised[] = [];

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  /** Starts a supervisor over these roles (role → command). */
  start(
    roles: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>> = {},
    { words = ['--no-demo'], uid }: Manner = {},
  ) {
    const procfile = join(this.folder, 'Procfile');
    const lines = Object.entries(roles).map(([role, command]) => `${role}: ${command}\n`);
    writeFileSync(procfile, lines.join(''));
    const command = {
      args: ['infra/programs/supervisor/main.ts', ...words, '--procfile', procfile],
      env: { ...ENVIRONMENT, DATA_DIR: this.dataDir, ...env },
    };
    const child = spawn(process.execPath, command.args, {
      cwd: ROOT,
      env: command.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    const supervised: Supervised = {
      process: child,
      output: () => output,
      ended: new Promise((resolve) => child.once('close', (code) => resolve(code))),
      run: () => v.parse(RunSchema, JSON.parse(readFileSync(this.runFile, 'utf8'))),
    };
    this.#started.push(supervised);
    return supervised;
  }

  get runFile(): string {
    return join(this.dataDir, 'run.json');
  }

  async ready(supervised: Supervised): Promise<void> {
    await until(() => supervised.output().includes(TERMINAL_EVENT.ready), supervised.output);
  }

  /** Ends whatever a failed test left, then removes the folder. */
  async close(): Promise<void> {
    for (const { process: child, ended } of this.#started) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits for a fact; fails with `describe()` when it does not come about. */
export async function until(fact: () => boolean, describe: () => string): Promise<void> {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  while (!fact()) {
    if (performance.now() > giveUpAt) throw new Error(`it did not come about:\n${describe()}`);
    await sleep(POLL_MS);
  }
}

export function exists(path: string): boolean {
  return existsSync(path);
}

/** Whether a process runs; one that has ended but was not reaped does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ESRCH') return false;
    throw error;
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return false;
    throw error;
  }
}
