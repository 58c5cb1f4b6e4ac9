/**
 * Reaper of orphans: ends the processes of a killed supervisor. Our own roles notice by themselves
 * (their channel closes), but a role may hang, and the NATS server does not know the supervisor. So
 * a shell waits on a pipe that only the supervisor holds, and reads from it the running processes.
 * If the pipe ends while its last line still names processes, the shell waits for a moment and
 * kills them.
 */
import { type ChildProcess, spawn } from 'node:child_process';

const SCRIPT = `
trap '' INT TERM HUP
pids=
while read -r line; do pids=$line; done
[ -z "$pids" ] && exit 0
sleep 1
kill -9 $pids 2>/dev/null
exit 0
`;

export class OrphanReaper {
  #shell: ChildProcess;
  #ended: Promise<void>;

  constructor(warn: (sentence: string) => void) {
    // In a group of its own, so that a signal to the supervisor's group does not end it.
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#ended = new Promise((resolve) => {
      this.#shell.once('exit', () => resolve());
      this.#shell.once('error', (error) => {
        warn(`nothing ends the roles if this process is killed: ${error.message}`);
        resolve();
      });
    });
    this.#shell.stdin?.on('error', (error) => warn(`the guard is gone: ${error.message}`));
  }

  /** Tells which processes run now. */
  watch(pids: readonly number[]): void {
    this.#shell.stdin?.write(`${pids.join(' ')}\n`);
  }

  /** Resolves when the shell has ended; it ends none of the processes it watched. */
  async close(): Promise<void> {
    this.#shell.stdin?.end('\n');
    await this.#ended;
  }
}
