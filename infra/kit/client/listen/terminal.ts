/** `listen` in a terminal: its options, its lines, and its end. */
import { DEFAULT_NAME } from '../events.ts';
import type { ForwardedAttempt } from './api.ts';
import { listen } from './listener.ts';
import { configFolder, storedSecret } from './secret-file.ts';

const NAME = /^[a-z0-9-]{1,40}$/;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface TerminalOptions {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly forwardTo?: string | undefined;
  readonly events?: string | undefined;
  readonly name?: string | undefined;
  readonly secret?: string | undefined;
}

export interface Terminal {
  readonly environment: NodeJS.ProcessEnv;
  readonly write: (text: string) => void;
}

export interface ListenProblem {
  /** E.g. `--url`. */
  readonly option: string;
  readonly message: string;
}

/** Problems of the options; empty where they are good. */
export function problemsOf(options: TerminalOptions): readonly ListenProblem[] {
  const { url, key, forwardTo, name = DEFAULT_NAME, secret } = options;
  const problems: ListenProblem[] = [];
  const must = (isGood: boolean, option: string, message: string) => {
    if (!isGood) problems.push({ option, message });
  };
  must(isAddress(url), '--url', 'must be the address of the service, with http:// or https://');
  must(Boolean(key), '--key', 'must be an API key; RECADO_KEY in the environment does as well');
  must(isAddress(forwardTo), '--forward-to', 'must be an address with http:// or https://');
  must(NAME.test(name), '--name', 'must have 1 to 40 of a-z, 0-9 and -');
  must(secret !== '', '--secret', 'must not be empty');
  return problems;
}

function isAddress(text = ''): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

/**
 * Forwards until SIGINT or SIGTERM; a second one ends the process at once.
 * @param options without problems
 * @throws what ends the stream
 */
export async function listenInTerminal(
  options: TerminalOptions,
  { environment, write }: Terminal,
): Promise<void> {
  const { url = '', key = '', forwardTo = '', events, name = DEFAULT_NAME } = options;
  const secret = storedSecret(configFolder(environment), { baseUrl: url, name }, options.secret);
  write(`Forwarding the events of "${name}" to ${forwardTo}\nSigned with ${secret}\n`);
  const listening = listen({
    ...{ baseUrl: url, key, forwardTo, secret, name },
    ...(events === undefined ? {} : { events }),
    onConnected: () => write(`Connected to ${url}\n`),
    onAttempt: (attempt) => write(`${lineOf(attempt)}\n`),
    onOverflow: ({ dropped }) => write(`The service had no room: ${dropped} events dropped\n`),
  });
  const end = () => void listening.close();
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    await listening.ended;
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, end);
  }
}

function lineOf({ id, event, status, ms, attempt, againInMs }: ForwardedAttempt): string {
  const words = [event, id, status ?? 'no answer', `${ms} ms`];
  const isDelivered = status !== null && status >= 200 && status < 300;
  if (againInMs !== null) words.push(`again in ${againInMs / 1000} s`);
  else if (!isDelivered) words.push(`failed after ${attempt} attempts`);
  return words.join('  ');
}
