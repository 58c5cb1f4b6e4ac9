/** The client as its user has it: installed by npm into an empty project. */

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { outputOf } from '../../launch.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);

export interface Project {
  readonly folder: string;
  /** Installs an address or a file, without a registry. */
  install(from: string): Promise<void>;
  write(name: string, text: string): void;
  /** Errors of a strict compiler in all the project's code; empty without any. */
  typeErrors(): string;
  /** Standard output of a script of the project. */
  run(script: string, env: Readonly<Record<string, string>>): Promise<string>;
  /** A program of the package's, or of another folder. */
  start(program: string, args: readonly string[]): Started;
  remove(): void;
}

export interface Started {
  readonly child: ChildProcess;
  /** Everything printed up to now. */
  output(): string;
  readonly ended: Promise<number | null>;
}

export function emptyProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'recado-kit-'));
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const environment = {
    ...{ PATH: path, HOME: folder, TMPDIR: folder },
    XDG_CONFIG_HOME: join(folder, 'config'),
  };
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  write('package.json', '{"name":"project","private":true,"type":"module"}');
  write('tsconfig.json', JSON.stringify(STRICT));
  return {
    folder,
    write,
    install: async (from) => {
      const options = ['--offline', '--no-audit', '--no-fund', '--loglevel=error'];
      // The address of the package itself is no registry's.
      const offline = from.startsWith('http') ? options.slice(1) : options;
      await run('npm', ['install', from, ...offline], { cwd: folder, env: environment });
    },
    typeErrors: () => {
      const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      const ran = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
      return ran.status === 0 ? '' : `${ran.stdout}${ran.stderr}` || `status ${ran.status}`;
    },
    run: async (script, env) => {
      const options = { cwd: folder, env: { ...environment, ...env } };
      return (await run(process.execPath, [script], options)).stdout;
    },
    start: (program, args) => {
      const file = resolve(folder, program);
      const child = spawn(process.execPath, [file, ...args], {
        ...{ cwd: folder, env: environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      return started(child);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function started(child: ChildProcess): Started {
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return { child, output: outputOf(child), ended };
}

const STRICT = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'nodenext', types: [], strict: true, noEmit: true },
    ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ noImplicitOverride: true, noImplicitReturns: true, skipLibCheck: false },
    allowImportingTsExtensions: true,
  },
  include: ['*.ts'],
};
