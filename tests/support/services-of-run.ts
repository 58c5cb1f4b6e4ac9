/**
 * Services that files of one run use in common (D202, D216). The runner starts each for the first
 * file that asks, and stops all of them after the last file.
 *
 * 1. One service is shared: any number of files use it at once.
 * 2. Others are lent to one file at a time. A file that does not give its service back leaves it
 *    unused, since nothing is known of its state.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { openStack, type Stack } from './stack.ts';

/** The setting that tells a file's process where to ask. */
export const SERVICES_OF_RUN = 'SERVICES_OF_RUN_URL';

/** Settings of the services that are lent, by the name of their kind. */
export const LENT_SETTINGS = { plain: {}, panel: { FORMATION: 'panel=1' } } as const;
export type LentKind = keyof typeof LENT_SETTINGS;

interface Lent {
  readonly kind: LentKind;
  readonly stack: Promise<Stack>;
}

const started: Promise<Stack>[] = [];
const idle: Lent[] = [];
const lent = new Map<string, Lent>();
let shared: Promise<Stack> | null = null;
let places = 0;

function start(kind: LentKind): Promise<Stack> {
  const stack = openStack({ settings: LENT_SETTINGS[kind] });
  started.push(stack);
  return stack;
}

function isLentKind(name: string): name is LentKind {
  return Object.hasOwn(LENT_SETTINGS, name);
}

/**
 * @param path `/shared` and `/lent/KIND` ask for a service; `/returned/PLACE` gives a lent one back
 */
function answer(path: string): Promise<Stack> | null {
  const [, what, name = ''] = path.split('/');
  const given = lent.get(name);
  if (what === 'returned' && given) {
    lent.delete(name);
    idle.push(given);
    return given.stack;
  }
  if (what === 'shared') {
    shared ??= start('plain');
    return shared;
  }
  return what === 'lent' && isLentKind(name) ? lend(name) : null;
}

function lend(kind: LentKind): Promise<Stack> {
  const at = idle.findLastIndex((each) => each.kind === kind);
  const [found] = at < 0 ? [] : idle.splice(at, 1);
  const given = found ?? { kind, stack: start(kind) };
  lent.set(String(places + 1), given);
  return given.stack;
}

const server = createServer((request, response) => {
  const stack = answer(request.url ?? '');
  const place = ++places;
  if (!stack) response.writeHead(404).end();
  stack?.then(
    ({ dataDir }) => response.end(JSON.stringify({ dataDir, place })),
    (error) => response.writeHead(500).end(String(error)),
  );
});

export async function globalSetup(): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  process.env[SERVICES_OF_RUN] = `http://127.0.0.1:${address.port}`;
}

export async function globalTeardown(): Promise<void> {
  server.close();
  server.closeAllConnections();
  const stacks = await Promise.all(started.map((stack) => stack.catch(() => null)));
  const ends = await Promise.allSettled(stacks.map((stack) => stack?.stop()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
