/**
 * One run of the operator's command line, from its words to its exit code. The process's part is
 * given as `Edges`, so it also runs inside another process. Standard output contains only the
 * result. Exit 0: done; 2: the input is wrong and nothing was stored; 1: anything else.
 */
import { CommanderError, type OutputConfiguration } from 'commander';
import { AskFailed } from '../../../shared/ports/bus.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { systemClock } from '../../adapters/clock/clock.ts';
import { type Config, ConfigError, type Environment, loadConfig } from '../../config/config.ts';
import { requireNatsFiles } from '../../config/nats-files.ts';
import { flagsBehind } from './arguments.ts';
import type { Settings } from './installation/doctor.ts';
import { visible } from './output/visible.ts';
import { createProgram } from './program.ts';
import { BadInput, ServiceFailed } from './service/failure.ts';
import { openService, reachBus } from './service/service.ts';
import type { OperatorTerminal } from './top/terminal.ts';

/** Of help where there is no terminal. */
const HELP_COLUMNS = 80;

export interface Output {
  write(text: string): unknown;
  /** Of a terminal. */
  readonly columns?: number | undefined;
}

/** A command's surroundings in the system. */
export interface Edges {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Environment;
  readonly cwd: string;
  /** Absent inside another process. */
  readonly terminal?: OperatorTerminal;
}

/**
 * Runs `recado ...words`; the result is the exit code. Its connections are about to be closed then,
 * also those still being tried: they keep neither the command waiting nor its process alive.
 */
export async function run(words: readonly string[], given: Edges): Promise<number> {
  const ended = new AbortController();
  const edges = { ...given, stdout: printable(given.stdout), stderr: printable(given.stderr) };
  try {
    return await perform(flagsBehind(words), edges, ended.signal);
  } catch (error) {
    return report(error, edges.stderr);
  } finally {
    ended.abort();
  }
}

/** The one way to the terminal: nothing stored drives it. */
function printable(output: Output): Output {
  return { columns: output.columns, write: (text) => output.write(visible(text)) };
}

async function perform(
  args: readonly string[],
  { stdin, stdout, stderr, environment, cwd, terminal }: Edges,
  signal: AbortSignal,
): Promise<number> {
  const read = settingsOf(args, environment);
  const log = logTo(stderr);
  let code = 0;
  const config = () => ('config' in read ? read.config : readConfig(environment));
  const program = createProgram({
    open: async (timeoutMs) => await openService({ config: config(), log, timeoutMs, signal }),
    reach: async ({ signal: ended, ...options }) => {
      const both = AbortSignal.any([signal, ended]);
      return await reachBus({ config: config(), ...options, signal: both });
    },
    config,
    examine: async () => (await import('./installation/doctor.ts')).examine(read, systemClock.now),
    setFailed: () => {
      code = 1;
    },
    log,
    invocation: { cwd, calledFrom: environment.INIT_CWD, stdin },
    environment,
    terminal,
    now: systemClock.now,
    write: (text) => stdout.write(text),
    output: helpTo(stdout, stderr),
  });
  await program.parseAsync(args, { from: 'user' });
  return code;
}

function readConfig(environment: Environment): Config {
  const config = loadConfig(environment);
  requireNatsFiles(config);
  return config;
}

/**
 * `doctor` reports wrong settings like any other problem; `listen`, `--version` and `--help` need
 * no settings.
 */
function settingsOf(args: readonly string[], environment: Environment): Settings {
  const command = args.find((word) => !word.startsWith('-'));
  if (command === 'listen') return { problems: [] };
  try {
    return { config: readConfig(environment) };
  } catch (error) {
    const isNeeded = command !== 'doctor' && command !== undefined;
    if (isNeeded || !(error instanceof ConfigError)) throw error;
    return { problems: error.problems };
  }
}

function sentenceFor(message: string): string {
  return `recado: ${message}\n`;
}

/** Standard output is for the result: messages go to standard error. */
function logTo(stderr: Output): Log {
  const print = (_fields: object, message: string) => void stderr.write(sentenceFor(message));
  return { debug: () => undefined, info: () => undefined, warn: print, error: print };
}

/** Where commander itself writes: help to either, complaints to standard error. */
function helpTo(stdout: Output, stderr: Output): OutputConfiguration {
  return {
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: () => stdout.columns ?? HELP_COLUMNS,
    getErrHelpWidth: () => stderr.columns ?? HELP_COLUMNS,
  };
}

/** Prints the failure for the operator; the result is the exit code. */
function report(error: unknown, stderr: Output): number {
  // Commander has printed its own.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  stderr.write(errorText(error));
  return error instanceof BadInput ? 2 : 1;
}

function errorText(error: unknown): string {
  if (error instanceof BadInput || error instanceof ConfigError) return `${error.message}\n`;
  if (error instanceof ServiceFailed) return sentenceFor(error.message);
  if (error instanceof AskFailed) {
    return sentenceFor(
      'The service did not answer in time: ask again; what was asked may have happened.',
    );
  }
  return sentenceFor(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
