/** Runs a supervisor over stand-in roles in a folder of its own, and leaves nothing behind. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseProcfile } from '../../../../../../infra/programs/service/supervisor/children/procfile.ts';
import { TERMINAL_EVENT } from '../../../../../../shared/log-events.ts';
import { environment, type Launched, launch, ROOT } from '../../../../launch.ts';
import { type Run, readRun } from '../../../../run-file.ts';
import { type Ran, runProgram } from '../../../../run-program.ts';

export const STAND_INS = {
  gateway: 'node tests/support/stand-ins/roles/gateway.ts',
  idle: 'node tests/support/stand-ins/roles/idle.ts',
  stubborn: 'node tests/support/stand-ins/roles/stubborn.ts',
  nats: 'node infra/programs/service/nats-server/main.ts',
  mongo: 'node infra/programs/service/mongo-engine/main.ts',
} as const;

/** The real service's roles, by the Procfile. */
export const REAL_ROLES = Object.fromEntries(
  parseProcfile(readFileSync(join(ROOT, 'Procfile'), 'utf8')).map(({ role, args }) => [
    role,
    `node ${args.join(' ')}`,
  ]),
);

export interface Supervised extends Launched {
  runFile(): Run;
}

export interface Manner {
  /** Beside the Procfile's. */
  readonly words?: readonly string[];
  /** The user and group who run it. */
  readonly uid?: number;
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
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
    const args = ['infra/programs/service/supervisor/main.ts', ...words, '--procfile', procfile];
    const settings = { PORT: '0', DATA_DIR: this.dataDir, ...env };
    const supervised: Supervised = {
      ...launch(args, settings, { uid }),
      runFile: () => readRun(this.dataDir),
    };
    this.#started.push(supervised);
    return supervised;
  }

  get runFile(): string {
    return join(this.dataDir, 'run.json');
  }

  async ready({ until, output }: Supervised): Promise<void> {
    await until(() => output().includes(TERMINAL_EVENT.ready), 'the service is ready');
  }

  /** `npm start` with the real roles, until it is ready. */
  async startWhole(env: Readonly<Record<string, string>> = {}): Promise<Supervised> {
    const supervised = this.start(REAL_ROLES, env);
    await this.ready(supervised);
    return supervised;
  }

  /** Runs a program of ours on the data folder to its end. */
  run(args: readonly string[], { input = '', env: given = {} }: RunOptions = {}): Promise<Ran> {
    const env = { ...environment(), DATA_DIR: this.dataDir, ...given };
    return runProgram(process.execPath, args, { cwd: ROOT, env, input });
  }

  /** Ends whatever a failed test left, then removes the folder. */
  async close(): Promise<void> {
    for (const { stop } of this.#started) await stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function endsWell({ stop, output }: Supervised): Promise<void> {
  assert.equal(await stop(), 0, output());
}
