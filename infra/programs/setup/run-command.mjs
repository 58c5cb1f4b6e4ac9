// Runs the set-up's commands: output is kept and shown only when a command fails. An interrupted
// set-up ends its running commands.
import { spawn } from 'node:child_process';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** Called with the pids of all running commands when one has started or ended. */
let observer = () => undefined;

/** Lets the lock know which commands are running, so that it outlives a killed set-up. */
export function observeCommands(callback) {
  observer = callback;
}

/**
 * Runs a command and resolves with its standard output.
 * @param {string} file
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} [options]
 * @throws {Error} with the command's last output lines when it cannot start or exits non-zero
 */
export function runCommand(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    follow(child);
    let stdout = '';
    let tail = '';
    const keep = (chunk) => {
      tail = (tail + chunk).slice(-4000);
    };
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
      keep(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', keep);
    const ended = (failure) => {
      forget(child);
      if (failure === undefined) resolve(stdout);
      else reject(new Error(`${file} ${args.join(' ')}: ${failure}\n${tail.trim()}`));
    };
    child.once('error', (error) => ended(error.message));
    child.once('close', (code, signal) => ended(code === 0 ? undefined : `exit ${signal ?? code}`));
  });
}

const endings = Object.entries(SIGNALS).map(([signal, code]) => {
  const end = () => {
    for (const child of running) child.kill('SIGKILL');
    process.exit(code);
  };
  return { signal, end };
});

/** A signal ends the set-up with all of its commands. */
function follow(child) {
  if (running.size === 0) for (const { signal, end } of endings) process.once(signal, end);
  running.add(child);
  observer(pids());
}

function forget(child) {
  running.delete(child);
  if (running.size === 0) for (const { signal, end } of endings) process.off(signal, end);
  observer(pids());
}

function pids() {
  return [...running].flatMap(({ pid }) => pid ?? []);
}
