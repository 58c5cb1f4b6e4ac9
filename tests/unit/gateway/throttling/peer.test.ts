import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incoming } from '../../../../gateway/gateway.ts';
import { BodyReader } from '../../../../gateway/http/read-body.ts';
import { serve } from '../../../../gateway/serve.ts';
import { peerOf } from '../../../../gateway/throttling/peer.ts';
import { startGateway, UNKNOWN_KEY } from '../../../support/gateway/gateway-fixture.ts';

const TOKENS = 100;
const NETWORK = '2001:0db8:0001:0002';

test('an IPv4 address is a peer, however it is written', () => {
  const whole = '0000:0000:0000:0000:0000:ffff:c000:0207';
  for (const spelled of ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207', whole]) {
    assert.equal(peerOf(spelled), '192.0.2.7', spelled);
  }
});

test('an IPv6 network is a peer, whichever of its addresses it shows', () => {
  for (const address of [
    '2001:db8:1:2::',
    '2001:db8:1:2::1',
    '2001:DB8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002:0000:0000:0000:0001',
    '2001:db8:1:2:0:0:192.0.2.7',
  ]) {
    assert.equal(peerOf(address), `${NETWORK}::/64`, address);
  }
  assert.notEqual(peerOf('2001:db8:1:3::1'), peerOf('2001:db8:1:2::1'));
  assert.equal(peerOf('::1'), '0000:0000:0000:0000::/64');
});

test('decisions, Guessing keys: another address of the same network brings no more tokens', async () => {
  await using fixture = await startGateway();
  const { gateway } = fixture;
  const statusFrom = async (address: string): Promise<number | undefined> => {
    const incoming: Incoming = {
      ...{ method: 'GET', path: '/api/v1/me', query: '', authorization: '', requestId: 'r' },
      apiKey: `${UNKNOWN_KEY}${address}`,
      headers: () => ({}),
      remoteAddress: () => address,
      body: (maxBytes, budget) => new BodyReader(maxBytes, budget),
      close: () => undefined,
      whilePaused: (work) => work(),
    };
    return (await serve(gateway, incoming, {}))?.status;
  };
  const hosts = Array.from({ length: 150 }, (_, host) => `2001:db8:1:2::${host.toString(16)}`);
  const statuses = await Promise.all(hosts.map(statusFrom));
  assert.equal(statuses.filter((status) => status === 401).length, TOKENS);
  assert.equal(statuses.filter((status) => status === 429).length, hosts.length - TOKENS);
  assert.equal(await statusFrom('2001:db8:1:3::1'), 401);
});
