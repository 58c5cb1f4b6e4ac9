#!/usr/bin/env node
/** `recado-listen`. Exit 0: ended by a signal; 2: wrong options; 1: the service refuses it. */
import { parseArgs } from 'node:util';
import { listenInTerminal, problemsOf, type TerminalOptions } from './terminal.ts';

const USAGE = `recado-listen --url URL --key KEY --forward-to URL [--events NAMES] [--name NAME] [--secret SECRET]

Forwards each event of the service to an address, signed as a delivery is.

  --url URL         address of the service
  --key KEY         API key; RECADO_KEY in the environment does as well
  --forward-to URL  address that gets each event, e.g. http://localhost:3000/hook
  --events NAMES    names, comma-separated; all events of the contract unless given
  --name NAME       name of the stream, 1 to 40 of a-z, 0-9 and -; "default" unless given
  --secret SECRET   signs the events; unless given one is made, and kept for the name
`;

const environment = process.env;
const text = { type: 'string' } as const;

function optionsOf(): TerminalOptions & { readonly help?: boolean | undefined } {
  const { values } = parseArgs({
    options: {
      ...{ url: text, key: text, 'forward-to': text, events: text, name: text, secret: text },
      help: { type: 'boolean' },
    },
  });
  const { 'forward-to': forwardTo, key = environment.RECADO_KEY, ...rest } = values;
  return { ...rest, key, forwardTo };
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function run(): Promise<number> {
  let options: ReturnType<typeof optionsOf>;
  try {
    options = optionsOf();
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n\n${USAGE}`);
    return 2;
  }
  if (options.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  const problems = problemsOf(options);
  for (const { option, message } of problems) process.stderr.write(`${option}: ${message}\n`);
  if (problems.length > 0) return 2;
  try {
    const write = (line: string) => void process.stdout.write(line);
    await listenInTerminal(options, { environment, write });
    return 0;
  } catch (error) {
    process.stderr.write(`recado-listen: ${sentenceOf(error)}\n`);
    return 1;
  }
}

process.exitCode = await run();
