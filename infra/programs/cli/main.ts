/** The operator's command line as a process: a client of the running service. */
import { environment } from '../../config/process-config.ts';
import { run } from './run.ts';
import { processTerminal } from './top/terminal.ts';

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

const settings = environment();
const code = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: settings,
  terminal: processTerminal(settings),
  cwd: process.cwd(),
});
await flush(process.stdout);
await flush(process.stderr);
// A connection that is still being tried must not keep the command waiting.
process.exit(code);
