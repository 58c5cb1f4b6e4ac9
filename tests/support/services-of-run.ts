/**
 * Services that files of one run use in common (D202, D216). The runner starts each for the first
 * file that asks, and stops all of them when no file that may use one is left.
 *
 * 1. One service is shared: any number of files use it at once.
 * 2. Others are lent to one file at a time, to files that name the same settings. A file that does
 *    not give its service back leaves it unused, since nothing is known of its state.
 * 3. Of the lent services that no file uses, some are kept, and the longest unused one is stopped,
 *    for its memory. At rest one takes 1 % of a core, and a start takes 1.5 to 3 s of one.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as v from 'valibot';
import { openStack, type Stack } from './stack.ts';

/** The setting that tells a file's process where to ask. */
export const SERVICES_OF_RUN = 'SERVICES_OF_RUN_URL';

/** Each holds half a gigabyte. */
const UNUSED_MAX = 4;
const SettingsSchema = v.record(v.string(), v.string());

interface Lent {
  /** Its settings, as JSON. */
  readonly settings: string;
  readonly stack: Promise<Stack>;
}

const running = new Set<Promise<Stack>>();
const ends: Promise<void>[] = [];
/** The longest unused one first. */
const idle: Lent[] = [];
const lent = new Map<string, Lent>();
let shared: Promise<Stack> | null = null;
let places = 0;

function start(settings: string): Promise<Stack> {
  const stack = openStack({ settings: v.parse(SettingsSchema, JSON.parse(settings)) });
  running.add(stack);
  return stack;
}

async function stop(stack: Promise<Stack>): Promise<void> {
  running.delete(stack);
  await (await stack.catch(() => null))?.stop();
}

/**
 * @param url `/shared`, and `/lent?settings=JSON`, ask for a service; `/returned?place=N` gives a
 *   lent one back
 */
function answer(url: string): Promise<Stack> | null {
  const { pathname, searchParams } = new URL(url, 'http://run');
  if (pathname === '/returned') return takeBack(searchParams.get('place') ?? '');
  const settings = searchParams.get('settings') ?? '{}';
  if (pathname === '/lent') return lend(settings);
  if (pathname !== '/shared') return null;
  shared ??= start(settings);
  return shared;
}

function lend(settings: string): Promise<Stack> {
  const at = idle.findLastIndex((each) => each.settings === settings);
  const [found] = at < 0 ? [] : idle.splice(at, 1);
  const stack = found?.stack ?? start(settings);
  lent.set(String(places + 1), { settings, stack });
  return stack;
}

function takeBack(place: string): Promise<Stack> | null {
  const given = lent.get(place);
  if (!given) return null;
  lent.delete(place);
  idle.push(given);
  const [longest] = idle.length > UNUSED_MAX ? idle.splice(0, 1) : [];
  if (longest) {
    const ended = stop(longest.stack);
    // A fault is told at the end of the run.
    ended.catch(() => undefined);
    ends.push(ended);
  }
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
  const ended = await Promise.allSettled([...ends, ...[...running].map(stop)]);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
