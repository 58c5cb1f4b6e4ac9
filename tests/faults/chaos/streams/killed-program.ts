/** A program that is killed by kill -9 and started again, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Life, Sighting } from './sighting.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

export interface ProgramPlan {
  /** Its file. */
  readonly program: string;
  readonly args: (life: number) => readonly string[];
  /** Its home: settings that it keeps are there. */
  readonly folder: string;
}

export interface OpenLife extends Life {
  readonly sightings: Sighting[];
}

export class KilledProgram {
  readonly lives: OpenLife[] = [];
  /** Lives that have ended without a kill. */
  readonly faults: string[] = [];
  readonly #plan: ProgramPlan;
  #child: ChildProcess;
  #output = '';

  constructor(plan: ProgramPlan) {
    this.#plan = plan;
    this.#child = this.#start();
  }

  /** Everything printed in this life. */
  get output(): string {
    return this.#output;
  }

  async kill(): Promise<void> {
    await this.close();
    this.#child = this.#start();
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.removeAllListeners('exit');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  #start(): ChildProcess {
    const { program, args, folder } = this.#plan;
    const life = this.lives.length;
    this.lives.push({ after: null, sightings: [] });
    this.#output = '';
    const child = spawn(process.execPath, [program, ...args(life)], {
      cwd: ROOT,
      env: { PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: folder, XDG_CONFIG_HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        this.#output = (this.#output + piece).slice(-KEPT_CHARS);
      });
    }
    child.once('exit', (code) => {
      this.faults.push(`life ${life} ended with ${code}: ${this.#output}`);
    });
    return child;
  }
}

const KEPT_CHARS = 10_000;
