/** The text answer of a network has a bound (infra/adapters/network/http-caller). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createHttpCaller } from '../../../../../infra/adapters/network/http-caller.ts';

const MEBI = 1024 * 1024;

test('an answer of 1 MiB is read, a longer one is none', async (t) => {
  const server = createServer((request, response) => {
    response.end('x'.repeat(MEBI + Number(request.url?.slice(1))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = createHttpCaller(systemClock);
  t.after(async () => {
    await caller.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = (more: number) => {
    const url = `http://127.0.0.1:${port}/${more}`;
    return caller.call({ method: 'GET', url, headers: {}, timeoutMs: 60_000 });
  };
  const whole = await ask(0);
  assert.ok(whole.answered && whole.body.length === MEBI);
  const longer = await ask(1);
  assert.equal(longer.answered, false);
});
