/** C13.5: the webhooks reach the channel's actor raw, its answer the network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAIN, SHOP, SIGNED, startGateway } from '../../support/gateway/gateway-fixture.ts';

const CHANNELS = [
  ['cloud', MAIN],
  ['web', SHOP],
] as const;

test("a network's webhook is carried byte for byte, with its headers and without a key", async () => {
  await using gateway = await startGateway();
  gateway.bus.onAsk = () => ({ status: 200, body: '{}' });
  const body = '{"entry": [ "é" ],\n not even JSON \u0000';
  for (const [provider, id] of CHANNELS) {
    const headers = { ...SIGNED[provider], authorization: 'Bearer x', cookie: 'a=b' };
    const path = `/networks/${provider}/${id}`;
    const response = await gateway.send(path, { key: null, body, headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('ratelimit'), null);
    const asked = gateway.bus.asked.at(-1);
    assert.deepEqual(asked?.address, { kind: 'channel', key: id });
    assert.deepEqual([asked?.command.type, asked?.command.provider], ['webhook', provider]);
    assert.equal(Buffer.from(String(asked?.command.rawBody), 'base64').toString(), body);
    const carried = JSON.stringify(asked?.command.headers);
    assert.ok(carried.includes(JSON.stringify(SIGNED[provider]).slice(1, -1)));
    assert.ok(!carried.includes('authorization') && !carried.includes('cookie'));
  }
});

test('the verification challenge is answered as the actor says, in plain text', async () => {
  await using gateway = await startGateway();
  gateway.bus.onAsk = ({ command }) => ({
    status: 200,
    body: JSON.stringify(command.query),
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
  const path = '/networks/cloud/chn_main?hub.mode=subscribe&hub.challenge=42';
  const response = await gateway.send(path, { key: null });
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.deepEqual(await response.json(), { 'hub.mode': 'subscribe', 'hub.challenge': '42' });
});

test('decisions: a body of 4 MiB passes on /networks, one byte more is 413', async () => {
  await using gateway = await startGateway();
  const send = async (bytes: number) => {
    const post = { key: null, headers: SIGNED.cloud, body: 'x'.repeat(bytes) };
    return (await gateway.send('/networks/cloud/chn_main', post)).status;
  };
  assert.equal(await send(4 * 1024 * 1024), 201);
  assert.equal(await send(4 * 1024 * 1024 + 1), 413);
});

test('what does not look like a channel id is an unknown path', async () => {
  await using gateway = await startGateway();
  for (const id of ['', 'a.b', 'a%2Fb', '*', 'x'.repeat(41), 'a/b']) {
    const response = await gateway.send(`/networks/web/${id}`, { key: null, body: '{}' });
    assert.equal(response.status, 404, id);
  }
  assert.equal(gateway.bus.asked.length, 0);
});

test('without a connection to the engine a webhook is a 500, which the network repeats', async () => {
  await using gateway = await startGateway();
  gateway.bus.up = false;
  assert.equal((await gateway.send('/networks/web/chn_main', { body: '{}' })).status, 500);
});
