/**
 * Bounds of unauthenticated callers' bodies: how much the gateway holds, for how long, and which
 * callers it refuses.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT_KEY,
  type Fixture,
  startGateway,
  UNKNOWN_KEY,
} from '../../support/gateway/gateway-fixture.ts';
import { answers, RawClient } from '../../support/gateway/raw-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const ROOM = 10_000;
const PART = 'x'.repeat(6_000);
const LONG = Object.fromEntries('abcdefghij'.split('').map((name) => [name, 'x'.repeat(480)]));
const GOOD = { phone: '+55 11 98888-7777', fields: LONG };

async function until(fact: () => boolean): Promise<void> {
  await waitFor(fact, { what: String(fact) });
}

/** The beginning of a request whose body is said to be longer than what comes of it. */
async function begin(gateway: Fixture, path: string, key?: string): Promise<RawClient> {
  const client = await RawClient.open(gateway.port);
  const said = key === undefined ? '' : `x-api-key: ${key}\r\n`;
  client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${said}Content-Length: 9000\r\n\r\n${PART}`);
  return client;
}

const held = ({ gateway }: Fixture) =>
  gateway.bodies.callers.held + gateway.bodies.unauthenticated.held;

test('what has come of a body is let go when its sender is refused', async () => {
  await using gateway = await startGateway();
  for (const key of [UNKNOWN_KEY, undefined, 'short']) {
    using client = await begin(gateway, '/api/v1/contacts', key);
    const text = await client.until((received) => answers(received).length > 0);
    assert.deepEqual(answers(text), ['401']);
    assert.equal(held(gateway), 0);
    client.write('x'.repeat(1_000));
    client.socket.resetAndDestroy();
  }
  assert.equal((await gateway.send('/healthz')).status, 200);
  assert.equal(held(gateway), 0);
});

test('bodies of strangers take no room from callers whose key is known', async () => {
  await using gateway = await startGateway({ budgetBytes: ROOM });
  assert.equal((await gateway.send('/api/v1/me')).status, 201);
  using stalled = await begin(gateway, '/networks/cloud/chn_main');
  await until(() => held(gateway) === PART.length);
  const flood = await gateway.send('/networks/web/chn_shop', { key: null, body: PART });
  assert.equal(flood.status, 500);
  const good = await gateway.send('/api/v1/contacts', { key: ACCOUNT_KEY, body: GOOD });
  assert.equal(good.status, 201);
  assert.equal(stalled.socket.destroyed, false);
});

test('the bytes of a webhook count until it is answered', async (t) => {
  await using gateway = await startGateway({ budgetBytes: ROOM });
  const answer = Promise.withResolvers<void>();
  t.signal.addEventListener('abort', () => answer.resolve());
  gateway.bus.onAsk = async () => {
    await answer.promise;
    return { status: 200, body: '{}' };
  };
  const path = '/networks/cloud/chn_main';
  const first = gateway.send(path, { key: null, body: PART });
  await until(() => gateway.bus.asked.length === 1);
  assert.equal((await gateway.send(path, { key: null, body: PART })).status, 500);
  answer.resolve();
  assert.equal((await first).status, 200);
  assert.equal((await gateway.send(path, { key: null, body: PART })).status, 200);
  assert.equal(held(gateway), 0);
});
