/** The processes of a suite: started, listened to, and none left when the suite has run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { environment } from '../config/process-config.ts';

/** The repository's root folder. */
export const ROOT = resolve(import.meta.dirname, '../..');

type Settings = Readonly<Record<string, string | undefined>>;

export interface ProcessPlan {
  /** An executable; Node.js unless given. */
  readonly executable?: string;
  /** Its arguments; a program's path is relative to the repository's root. */
  readonly args: readonly string[];
  /** The program is up when its output holds this. */
  readonly readyOutput: string;
  /** Over this process's own environment. */
  readonly env?: Settings;
  /** Root of the checkout that the program belongs to; this one's unless given. */
  readonly root?: string;
}

export interface RunPlan extends Pick<ProcessPlan, 'env' | 'root'> {
  /** Its standard input. */
  readonly input?: string;
  /** Asks it to come to its end, by SIGTERM. */
  readonly signal?: AbortSignal | undefined;
}

interface Place {
  readonly env: Settings;
  readonly root: string | undefined;
  readonly executable?: string | undefined;
}

export interface StartedProcess {
  readonly pid: number;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
}

export class ChildProcesses {
  readonly #running = new Set<ChildProcess>();

  /** Starts a program that goes on running. */
  async start(plan: ProcessPlan): Promise<StartedProcess> {
    const { args, readyOutput, env = {}, root, executable } = plan;
    const child = this.#spawn(args, { env, root, executable });
    const { promise, resolve: up, reject } = Promise.withResolvers<void>();
    let output = '';
    child.stdout?.on('data', (text: string) => {
      output = `${output}${text}`.slice(-4_000);
      if (output.includes(readyOutput)) up();
    });
    child.once('exit', (code) => reject(new Error(`${executable ?? args[0]} ended with ${code}`)));
    await promise;
    return { pid: child.pid ?? 0, stop: () => this.#stop(child) };
  }

  /** Runs a program to its end and returns its output. */
  async run(args: readonly string[], plan: RunPlan = {}): Promise<string> {
    const { input = '', env = {}, root, signal } = plan;
    const child = this.#spawn(args, { env, root });
    signal?.addEventListener('abort', () => child.kill('SIGTERM'));
    let output = '';
    child.stdout?.on('data', (text: string) => {
      output += text;
    });
    child.stdin?.end(input);
    await once(child, 'close');
    if (child.exitCode !== 0) throw new Error(`${args[0]} ended with ${child.exitCode}`);
    return output;
  }

  /** The youngest first, so that each finds its dependencies until it has ended. */
  async stop(): Promise<void> {
    for (const child of [...this.#running].toReversed()) await this.#stop(child);
  }

  #spawn(args: readonly string[], place: Place): ChildProcess {
    const { env, root = ROOT, executable = process.execPath } = place;
    const child = spawn(executable, args, {
      cwd: root,
      env: { ...environment(), ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    child.stdout?.setEncoding('utf8');
    return child;
  }

  async #stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}
