/**
 * A real nginx: the distribution's package, unpacked once into `.runtime` beside the libraries that
 * it was built with, so that it runs on a machine with an older glibc too.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../../infra/tools/source.ts';

const FOLDER = join(ROOT, '.runtime', 'nginx');
const PACKAGES = [
  ...['nginx', 'libc6', 'libcrypt1', 'libpcre2-8-0'],
  ...['libssl3t64', 'libzstd1', 'zlib1g'],
];
const UNPACK = `
  import { unpackPackages } from ${JSON.stringify(join(ROOT, 'infra/programs/setup/packages.mjs'))};
  const [folder, ...names] = process.argv.slice(1);
  const lowest = Object.fromEntries(names.map((name) => [name, '0']));
  await unpackPackages(lowest, folder);
`;

export interface Nginx {
  /** Of an own, empty folder; the file is read by `-c`. */
  readonly program: string;
  readonly args: readonly string[];
}

/** @throws where this machine names no mirror, or it cannot be reached */
export async function nginxProgram(): Promise<Nginx> {
  if (!existsSync(FOLDER)) await unpack();
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const find = (pattern: RegExp) => {
    const path = files.find((file) => pattern.test(file));
    if (path === undefined) throw new Error(`the packages have no ${pattern}`);
    return join(FOLDER, path);
  };
  const library = find(/\/libc\.so\.6$/).replace(/\/libc\.so\.6$/, '');
  const loader = find(/linux-gnu\/ld-linux[\w-]*\.so\.\d$/);
  return { program: loader, args: ['--library-path', library, find(/sbin\/nginx$/)] };
}

async function unpack(): Promise<void> {
  const draft = `${FOLDER}.${process.pid}`;
  const args = ['--input-type=module', '--eval', UNPACK, draft, ...PACKAGES];
  try {
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    renameSync(draft, FOLDER);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(FOLDER)) throw error;
  }
}

/** The file that includes a site; nothing is written outside of the folder. */
export function writeConfiguration(folder: string, site: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const kind of kinds) mkdirSync(join(folder, kind), { recursive: true });
  const file = join(folder, 'nginx.conf');
  const lines = [
    'daemon off;',
    // One process, which stays the user of the test, whose folder it writes to.
    'master_process off;',
    `pid ${join(folder, 'pid')};`,
    `error_log ${join(folder, 'error.log')} notice;`,
    'events {}',
    'http {',
    'access_log off;',
    ...kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`),
    site,
    '}',
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

/** Checks a file as the operator does; the answer is what nginx says of a wrong one, else null. */
export async function checkConfiguration(nginx: Nginx, file: string): Promise<string | null> {
  try {
    await promisify(execFile)(nginx.program, [...nginx.args, '-t', '-e', 'stderr', '-c', file]);
    return null;
  } catch (error) {
    return String(Reflect.get(Object(error), 'stderr'));
  }
}

/** Runs until it is disposed of. */
export function startNginx(nginx: Nginx, file: string): AsyncDisposable {
  const args = [...nginx.args, '-e', 'stderr', '-c', file];
  const child = spawn(nginx.program, args, { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
