/**
 * `recado listen`: forwards the events of a service to a local address (D268). It is the client
 * package's own module: it needs HTTP only, and no installation beside it.
 */
import type { Command } from 'commander';
import { RecadoError, StreamReplaced } from '../../kit/client/errors.ts';
import {
  listenInTerminal,
  problemsOf,
  type Terminal,
  type TerminalOptions,
} from '../../kit/client/listen/terminal.ts';
import { BadInput, ServiceFailed } from './service/failure.ts';

async function listen(options: TerminalOptions, { environment, write }: Terminal): Promise<void> {
  const problems = problemsOf(options);
  if (problems.length > 0) {
    throw new BadInput(problems.map(({ option: path, message }) => ({ path, message })));
  }
  try {
    await listenInTerminal(options, { environment, write });
  } catch (cause) {
    if (cause instanceof RecadoError || cause instanceof StreamReplaced) {
      throw new ServiceFailed(cause.message, { cause });
    }
    throw cause;
  }
}

export function addListen(program: Command, terminal: Terminal): void {
  program
    .command('listen')
    .description('forwards events to a local address, signed as deliveries are')
    .requiredOption('--url <url>', 'address of the service')
    .requiredOption('--key <key>', 'API key of an account or of a channel')
    .requiredOption('--forward-to <url>', 'address that gets each event')
    .option('--events <names>', 'names, comma-separated; all events of the contract unless given')
    .option('--name <name>', 'name of the stream; "default" unless given')
    .option('--secret <secret>', 'signs the events; unless given one is made and kept')
    .action((options: TerminalOptions) => listen(options, terminal));
}
