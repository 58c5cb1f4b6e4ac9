/**
 * Sees to it that nothing outlives a killed supervisor. Our own roles notice by themselves (their
 * channel closes), but a role may hang and the NATS server knows nothing of us. So a shell waits on
 * a pipe that only the supervisor holds: it is told which processes run, and when the pipe ends
 * without having been told "none", it gives them a moment and ends them.
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
    // In a group of its own, so that a signal to everybody does not take it along.
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

  /** Resolves when the shell has ended; whatever it was told to watch is let go. */
  async close(): Promise<void> {
    this.#shell.stdin?.end('\n');
    await this.#ended;
  }
}
