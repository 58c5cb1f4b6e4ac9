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

const started: Promise<Stack>[] = [];
const idle: Promise<Stack>[] = [];
const lent = new Map<string, Promise<Stack>>();
let shared: Promise<Stack> | null = null;
let places = 0;

function start(): Promise<Stack> {
  const stack = openStack();
  started.push(stack);
  return stack;
}

/** @param path `/shared` and `/lent` ask for a service; `/returned/PLACE` gives a lent one back */
function answer(path: string): Promise<Stack> | null {
  const [, kind, place = ''] = path.split('/');
  const given = lent.get(place);
  if (kind === 'returned' && given) {
    lent.delete(place);
    idle.push(given);
    return given;
  }
  if (kind === 'shared') {
    shared ??= start();
    return shared;
  }
  if (kind !== 'lent') return null;
  const stack = idle.pop() ?? start();
  lent.set(String(places + 1), stack);
  return stack;
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
