/**
 * The operator's command line: a client of the running service. Standard output contains only the
 * result. Exit 0: done; 2: the input is wrong and nothing was stored; 1: anything else.
 */
import { CommanderError } from 'commander';
import { AskFailed } from '../../../shared/ports/bus.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { systemClock } from '../../adapters/clock/clock.ts';
import { ConfigError, loadConfig } from '../../config/config.ts';
import { configOrExit, environment } from '../../config/process-config.ts';
import { flagsBehind } from './arguments.ts';
import type { Settings } from './doctor.ts';
import { BadInput, ServiceFailed } from './failure.ts';
import { createProgram } from './program.ts';
import { openService } from './service.ts';

const printError = (message: string): void => {
  process.stderr.write(`recado: ${message}\n`);
};

/** Standard output is for the result: messages go to standard error. */
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields, message) => printError(message),
  error: (_fields, message) => printError(message),
};

/** Prints the failure for the operator; the result is the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof BadInput) {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  if (error instanceof ServiceFailed) printError(error.message);
  else if (error instanceof AskFailed) {
    printError('The service did not answer in time: ask again; what was asked may have happened.');
  } else printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

const args = flagsBehind(process.argv.slice(2));

/**
 * `doctor` reports wrong settings like any other problem; `listen`, `--version` and `--help` need
 * no settings.
 */
function settings(): Settings {
  const [command] = args.filter((word) => !word.startsWith('-'));
  if (command === 'listen') return { problems: [] };
  if (command !== 'doctor' && command !== undefined) return { config: configOrExit() };
  try {
    return { config: loadConfig(environment()) };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}

async function run(): Promise<number> {
  const read = settings();
  let code = 0;
  const program = createProgram({
    open: (timeoutMs) => {
      const config = 'config' in read ? read.config : configOrExit();
      return openService({ config, log, timeoutMs });
    },
    examine: async () => (await import('./doctor.ts')).examine(read, systemClock.now),
    setFailed: () => {
      code = 1;
    },
    log,
    invocation: {
      cwd: process.cwd(),
      calledFrom: environment().INIT_CWD,
      stdin: process.stdin,
    },
    now: systemClock.now,
    write: (text) => process.stdout.write(text),
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return report(error);
  }
}

const code = await run();
await flush(process.stdout);
await flush(process.stderr);
// A connection that is still being tried must not keep the command waiting.
process.exit(code);
