/**
 * A program of ours as a process.
 *
 * 1. Nothing of the developer's own environment reaches it.
 * 2. It ends with the process of the tests, however that ends. The channel has no messages, and
 *    every program of ours ends when it is closed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { waitFor } from './wait-for.ts';

/** A program that does not end is killed, so that its test fails with its output. */
const END_MAX_MS = 180_000;

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Launched {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Its output so far, for the story of a failure. */
  output(): string;
  hasEnded(): boolean;
  /** The code with which it ended; null for a signal. */
  readonly ended: Promise<number | null>;
  /**
   * Waits for a sign of the running program.
   * @throws {Error} with its output, also when it ends before
   */
  until<T>(sign: () => T | Promise<T>, what: string): Promise<Exclude<T, false | null | undefined>>;
  /** Signals it unless it has ended, and waits for its end: the code; null once it is overdue. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

type Settings = Readonly<Record<string, string>>;

/** The environment of a program. Its home and its temporary files are in the folder, if any. */
export function environment(folder?: string): Settings {
  return {
    PATH: '/usr/bin:/bin',
    // A program that finds its compiled code costs half as much to start.
    NODE_COMPILE_CACHE: resolve(ROOT, '.runtime', 'compile-cache'),
    ...(folder === undefined ? {} : { HOME: folder, TMPDIR: folder }),
  };
}

/** @param uid of the user who runs it; the tests' own unless given */
export function launch(
  args: readonly string[],
  settings: Settings,
  { uid }: { readonly uid?: number | undefined } = {},
): Launched {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...environment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const output = outputOf(child);
  const ended = once(child, 'close').then(() => child.exitCode);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    process: child,
    output,
    hasEnded,
    ended,
    until: (sign, what) => whileRuns({ output, hasEnded, ended }, sign, what),
    async stop(signal = 'SIGTERM') {
      if (!hasEnded()) child.kill(signal);
      const overdue = setTimeout(() => end(child), END_MAX_MS);
      return await ended.finally(() => clearTimeout(overdue));
    },
  };
}

/**
 * Waits for a sign of a running program.
 * @throws {Error} with its output, also when it ends before
 */
export function whileRuns<T>(
  { output, hasEnded, ended }: Pick<Launched, 'output' | 'hasEnded' | 'ended'>,
  sign: () => T | Promise<T>,
  what: string,
): Promise<Exclude<T, false | null | undefined>> {
  const ask = async (): Promise<T> => {
    const found = await sign();
    if (hasEnded()) throw new Error(`before ${what}, it ended: ${await ended}\n${output()}`);
    return found;
  };
  return waitFor(ask, { what: () => `${what}; it has printed:\n${output()}` });
}

/** A descendant that is paused would keep its output open. */
function end(child: ChildProcess): void {
  child.kill('SIGKILL');
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
}

/** Output of a process so far. */
export function outputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  return () => output;
}
