// Runs the set-up's commands: output is kept and shown only when a command fails. An interrupted
// set-up ends its running command.
import { spawn } from 'node:child_process';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Called with each started command's pid, and with undefined when it has ended. */
let observer = () => undefined;

/** Lets the lock know which command is running, so that it outlives a killed set-up. */
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
    const forget = endTogether(child);
    observer(child.pid);
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
      forget();
      observer(undefined);
      if (failure === undefined) resolve(stdout);
      else reject(new Error(`${file} ${args.join(' ')}: ${failure}\n${tail.trim()}`));
    };
    child.once('error', (error) => ended(error.message));
    child.once('close', (code, signal) => ended(code === 0 ? undefined : `exit ${signal ?? code}`));
  });
}

/** Ends the set-up and its command at a signal; the returned function removes the handlers. */
function endTogether(child) {
  const endings = Object.entries(SIGNALS).map(([signal, code]) => {
    const end = () => {
      child.kill('SIGKILL');
      process.exit(code);
    };
    process.once(signal, end);
    return () => process.removeListener(signal, end);
  });
  return () => {
    for (const remove of endings) remove();
  };
}
