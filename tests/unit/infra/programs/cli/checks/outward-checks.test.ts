/** Findings of `doctor` at the networks' clocks and at the public address. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { after, test } from 'node:test';
import { checkAddress } from '../../../../../../infra/programs/cli/checks/address.ts';
import { GRAPH_URL } from '../../../../../../infra/programs/cli/checks/directory.ts';
import { checkNetworkClocks } from '../../../../../../infra/programs/cli/checks/network-clocks.ts';

const HOUR_MS = 3_600_000;
const opened: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  opened.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
}

after(() => {
  for (const server of opened) {
    server.closeAllConnections();
    server.close();
  }
});

test('a clock that is an hour off is known by the answers of a network', async () => {
  const origin = await serve((_, response) => response.end());
  const behind = await checkNetworkClocks([origin], () => Date.now() - HOUR_MS);
  assert.deepEqual([behind.ok, behind.detail], [false, `this clock is 60 min behind ${origin}`]);
  const ahead = await checkNetworkClocks([origin], () => Date.now() + 3 * HOUR_MS);
  assert.equal(ahead.detail, `this clock is 3 h ahead of ${origin}`);
  const right = await checkNetworkClocks([origin], Date.now);
  assert.deepEqual([right.ok, right.detail], [true, 'as this one at 1 of 1 networks asked']);
});

test('a network that does not answer is told at once, also where no channel has work', async () => {
  const origin = await serve((_, response) => response.end());
  const { ok, detail } = await checkNetworkClocks([origin, 'http://127.0.0.1:2'], Date.now);
  assert.equal(ok, false);
  assert.match(detail, /^http:\/\/127\.0\.0\.1:2 does not answer here: \S+/);
});

test('an address that Meta cannot call is told before it is tried', async () => {
  for (const url of ['http://api.example.com', 'https://127.0.0.1:8080', 'https://10.0.0.7']) {
    const { ok, detail } = await checkAddress(url, [GRAPH_URL]);
    const reason = `Meta cannot call webhooks at ${url}: it wants a public https address`;
    assert.deepEqual([ok, detail], [false, reason]);
  }
});

test('an address that leads elsewhere is told with what it answers', async () => {
  const ours = await serve((_, response) => response.end('{"data":{"alive":true}}'));
  assert.equal((await checkAddress(ours, [])).ok, true);
  const another = await serve((_, response) => response.writeHead(301).end());
  const { ok, detail } = await checkAddress(another, []);
  assert.deepEqual([ok, detail], [false, `${another}/healthz answers 301, not this service`]);
});
