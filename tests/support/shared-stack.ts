/**
 * One service for those files of a run that use nothing but organizations of their own (D202). The
 * runner starts it for the first file that asks, and stops it after the last. A file that runs
 * without the runner has its own.
 *
 * A file that tries many wrong keys needs its own: all files have one address, with 100 a minute.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as v from 'valibot';
import { phonesFrom } from './api.ts';
import { attachStack, openStack, type Stack, startStack } from './stack.ts';

const ADDRESS = 'SHARED_STACK_URL';
const PlaceSchema = v.object({ dataDir: v.string(), place: v.number() });
const OrgsSchema = v.object({
  orgs: v.array(v.object({ ref: v.string(), remove: v.optional(v.boolean()) })),
});

let started: Promise<Stack> | null = null;
let places = 0;
const server = createServer((_, response) => {
  started ??= openStack();
  started.then(
    ({ dataDir }) => response.end(JSON.stringify({ dataDir, place: ++places })),
    (error) => response.writeHead(500).end(String(error)),
  );
});

export async function globalSetup(): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  process.env[ADDRESS] = `http://127.0.0.1:${address.port}`;
}

export async function globalTeardown(): Promise<void> {
  server.close();
  server.closeAllConnections();
  await (await started?.catch(() => null))?.stop();
}

/** The run's service: references and phones of this file are its own. */
export async function shareStack(): Promise<Stack> {
  const url = process.env[ADDRESS];
  if (url === undefined) return startStack();
  const response = await fetch(url);
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  const { dataDir, place } = v.parse(PlaceSchema, await response.json());
  phonesFrom(place);
  const refs = new Set<string>();
  const stack = attachStack(dataDir, {
    prefix: `file-${place}-`,
    // Deliveries would go on to subscribers that have gone, at ports that others may have.
    stop: async () => {
      await stack.apply({ orgs: [...refs].map((ref) => ({ ref, remove: true })) });
    },
  });
  return {
    ...stack,
    apply: (file) => {
      for (const { ref, remove } of v.parse(OrgsSchema, file).orgs) {
        if (remove === true) refs.delete(ref);
        else refs.add(ref);
      }
      return stack.apply(file);
    },
  };
}
