/**
 * One supervised process: started, restarted when it dies, stopped on request.
 * 1. At most one process of it runs at a time.
 * 2. Each process gets an id of its own, never used again: a dead member stays dead.
 * 3. A process that refuses to start is not restarted: another try would have the same result.
 * 4. It leads a process group of its own. A signal to the supervisor's group (Ctrl+C) reaches only
 *    the supervisor, which then stops the roles in order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { TERMINAL_EVENT } from '../../../../../shared/log-events.ts';
import { sentenceOf } from '../../../../adapters/log/sentence.ts';
import { askForMetrics } from '../../../../adapters/metrics/ipc.ts';
import { noticeDeath } from './death-notice.ts';
import { lastError } from './last-error.ts';
import { REFUSED_EXIT_CODE, refusalIn } from './refuse-start.ts';
import { deathsInARow, restartDelayMs } from './restart-policy.ts';

export interface ChildPlan {
  readonly role: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its output is appended here. */
  readonly logFile: string;
}

export interface ChildListener {
  /** A process was started or has ended. */
  changed(): void;
  /** Its output is lost; one sentence for the terminal. */
  unlogged?(sentence: string): void;
  /** It ended without a request. */
  died(child: Child, death: { readonly processId: string; readonly sentence: string }): void;
  /** It cannot start in this state; the sentence has the reason. */
  refused(child: Child, sentence: string): void;
}

export class Child {
  readonly plan: ChildPlan;
  readonly #listener: ChildListener;
  #process: ChildProcess | null = null;
  #deaths = 0;
  #restarts = 0;
  #stopping = false;
  #refusing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(plan: ChildPlan, listener: ChildListener) {
    this.plan = plan;
    this.#listener = listener;
  }

  /** The running process's id, or null between two. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** The process's own metrics; null between two processes, or when it does not answer in time. */
  askForMetrics(timeoutMs: number): Promise<string | null> {
    return this.#process ? askForMetrics(this.#process, timeoutMs) : Promise.resolve(null);
  }

  noticeDeath(): void {
    if (this.#process) noticeDeath(this.#process);
  }

  start(): void {
    const { role, args, cwd, env, logFile } = this.plan;
    const processId = `${role}-${randomBytes(9).toString('hex')}`;
    const output = this.#openLog();
    const startedAt = performance.now();
    const size = output === null ? 0 : fstatSync(output).size;
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...env, RECADO_PROCESS_ID: processId },
      detached: true,
      // Its end informs the child that the supervisor is gone; metrics are asked over it.
      stdio: ['ignore', output ?? 'ignore', output ?? 'ignore', 'ipc'],
    });
    if (output !== null) closeSync(output);
    this.#process = child;
    let over = false;
    const end = (how: string) => {
      if (over) return;
      over = true;
      this.#ended(processId, how, performance.now() - startedAt);
    };
    child.once('error', (error) => end(`could not be started (${error.message})`));
    child.once('exit', (code, signal) => {
      if (code === REFUSED_EXIT_CODE) this.#refusing = true;
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      end(`${how}${lastError(logFile, size)}`);
    });
    this.#listenForRefusal(child);
    this.#listener.changed();
  }

  /** The channel closes after the exit, when all of its messages were received. */
  #listenForRefusal(child: ChildProcess): void {
    let sentence = `it ended by itself; see ${this.plan.logFile}`;
    child.on('message', (message) => {
      sentence = refusalIn(message) ?? sentence;
    });
    child.once('close', () => {
      if (this.#refusing && !this.#stopping) this.#listener.refused(this, sentence);
    });
  }

  /** SIGTERM, then SIGKILL after the grace; resolves when the process is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#process;
    if (child === null) return;
    await new Promise<void>((resolve) => {
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
      child.once('exit', () => {
        clearTimeout(force);
        resolve();
      });
      child.kill('SIGTERM');
    });
  }

  /** The last resort when the supervisor itself must go. */
  kill(): void {
    this.#stopping = true;
    this.#process?.kill('SIGKILL');
  }

  /** Null where it cannot be written: the role is worth more than its log. */
  #openLog(): number | null {
    const { role, logFile } = this.plan;
    try {
      return openSync(logFile, 'a', 0o600);
    } catch (cause) {
      this.#listener.unlogged?.(`${role} runs without a log: ${sentenceOf(cause)}`);
      return null;
    }
  }

  #ended(processId: string, how: string, uptimeMs: number): void {
    const pid = this.pid;
    this.#process = null;
    if (!this.#stopping && !this.#refusing) {
      this.#deaths = deathsInARow(this.#deaths, uptimeMs);
      const delayMs = restartDelayMs(this.#deaths);
      this.#timer = setTimeout(() => {
        this.#restarts += 1;
        this.start();
      }, delayMs);
      const sentence =
        `${this.plan.role} (pid ${pid}) ${how}, ${TERMINAL_EVENT.startedAgain} in ${delayMs} ms; ` +
        `see ${this.plan.logFile}`;
      this.#listener.died(this, { processId, sentence });
    }
    this.#listener.changed();
  }
}
