// The only file of the set-up that reads the environment. It runs before anything is installed,
// so it cannot use infra/config; everything after the set-up does.
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder, absolute. */
export const ROOT = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

/** Everything the set-up makes lives here; deleting the folder undoes it. */
export const RUNTIME = join(ROOT, '.runtime');

/** The Node.js binary that runs the project: patched where the machine's glibc is too old. */
export const NODE = join(RUNTIME, 'node', 'bin', 'node');

/** The NATS server that `npm start` and the tests run. */
export const NATS_SERVER = join(RUNTIME, 'bin', 'nats-server');

/** True if the operator has a NATS server, so that an embedded one is not needed. */
export function natsIsGiven() {
  return Boolean(process.env.NATS_URL);
}

/** Folders of the PATH, without the ones that npm and npx add for a project's own binaries. */
export function pathFolders() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'));
}

/** True if this process runs one of package.json's scripts for npm. */
export function startedByNpm() {
  return process.env.npm_lifecycle_event !== undefined;
}

/** npm's own entry file when npm started us, else undefined. */
export function npmEntry() {
  const entry = process.env.npm_execpath;
  return entry?.endsWith('.js') ? entry : undefined;
}

/**
 * The environment of a child with `folder` first on its PATH. It leaves out npm's silent mode (`npm
 * run -s`), so that a failing `npm ci` prints its reason.
 */
export function environmentWith(folder) {
  const { npm_config_loglevel: _level, ...rest } = process.env;
  const env = { ...rest, PATH: [folder, process.env.PATH ?? ''].join(delimiter) };
  // Compiled code is kept between starts: a start takes half the time.
  env.NODE_COMPILE_CACHE ??= join(RUNTIME, 'compile-cache');
  if (!homeIsWritable()) env.npm_config_cache = join(RUNTIME, 'npm-cache');
  return env;
}

function homeIsWritable() {
  try {
    accessSync(homedir(), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
