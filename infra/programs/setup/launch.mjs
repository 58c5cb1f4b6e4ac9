// Runs a program of the project in the prepared runtime and ends as it ends. Signals are forwarded,
// the exit code is passed back, and nothing else is written.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { environmentWith, NODE, ROOT, startedByNpm } from './environment.mjs';
import { ensureRuntime } from './runtime.mjs';

const PARENT_POLL_MS = 500;

/**
 * Installs missing parts, runs `node ...args` in the repository's root, and exits with its code.
 * @param {string[]} args
 * @param {Record<string, string>} [settings] of the child's environment
 */
export async function launch(args, settings) {
  process.exitCode = await runNode(args, settings);
}

/**
 * Like `launch`, but resolves with the exit code.
 * @param {string[]} args
 * @param {Record<string, string>} [settings]
 */
export async function runNode(args, settings = {}) {
  await prepare();
  const env = { ...environmentWith(dirname(NODE)), ...settings };
  // The channel has no messages: its end informs the child that this process was killed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  return await new Promise((resolve) => {
    const child = spawn(NODE, args, { cwd: ROOT, env, stdio });
    // A signal to the whole group reaches the child twice; every program here treats the second one
    // like the first.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => child.kill(signal));
    }
    const watch = endWithNpm(child);
    child.once('error', (error) => {
      process.stderr.write(`cannot run ${NODE}: ${error.message}\n`);
      resolve(1);
    });
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/**
 * A killed npm sends no signal: its script only gets another parent. The scripts begin with `exec`,
 * so that npm and not a shell is the watched parent.
 */
function endWithNpm(child) {
  const parent = process.ppid;
  const check = () => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  };
  return startedByNpm() ? setInterval(check, PARENT_POLL_MS) : undefined;
}

/**
 * Installs missing parts, or prints the problem and exits 1.
 * @param {{development?: boolean}} [options] `development`: with the packages of maintainers
 */
export async function prepare(options) {
  try {
    await ensureRuntime(options);
  } catch (error) {
    const cause = error.cause === undefined ? '' : `\n${error.cause.message}`;
    process.stderr.write(`setup failed: ${error.message}${cause}\n`);
    process.exit(1);
  }
}
