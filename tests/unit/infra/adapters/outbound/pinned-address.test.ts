/**
 * The address that was checked is the one that is connected to (I10). The public address that a
 * name shows to the check is 127.0.0.2; its later target is 127.0.0.1.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  createOutbound,
  type GuardedOutbound,
  type OutboundOptions,
} from '../../../../../infra/adapters/outbound/safe-fetch.ts';
import { realClock } from '../../../../support/infra/adapters/outbound/real-clock.ts';
import { listenEverywhere } from '../../../../support/stand-ins/everywhere.ts';

const ADMITTED = '127.0.0.2';
const FORBIDDEN = '127.0.0.1';
const strict = { allow: [], loopback: false, clock: realClock };

function outboundFor(t: TestContext, options: OutboundOptions): GuardedOutbound {
  const outbound = createOutbound(options);
  t.after(() => outbound.close());
  return outbound;
}

async function listenerFor(t: TestContext) {
  const listener = await listenEverywhere();
  t.after(() => listener.close());
  return { ...listener, allow: [`${ADMITTED}:${listener.port}`] };
}

const v4 = (address: string) => ({ address, family: 4 });
const plain = (address: string) => address.replace('::ffff:', '');

test('what listens everywhere is reached by every address of the machine', async (t) => {
  const listener = await listenerFor(t);
  for (const host of listener.hosts) await fetch(`http://${host}:${listener.port}/`);
  assert.equal(listener.connected.length, listener.hosts.length);
});

test('no address of this machine is reached, whatever it is called', async (t) => {
  const listener = await listenerFor(t);
  const outbound = outboundFor(t, strict);
  for (const host of listener.hosts) {
    const outcome = await outbound.post(`http://${host}:${listener.port}/`, '{}', {});
    assert.equal(outcome.ok ? 'reached' : outcome.kind, 'blocked_address', host);
  }
  assert.deepEqual(listener.connected, []);
});

test('a name is resolved once: there is no second look-up to turn inwards in', async (t) => {
  const listener = await listenerFor(t);
  const { allow } = listener;
  let asked = 0;
  const resolve = async () => [v4(asked++ === 0 ? ADMITTED : FORBIDDEN)];
  const outbound = outboundFor(t, { ...strict, allow, resolve });
  const outcome = await outbound.post(`http://turns.example:${listener.port}/`, '{}', {});
  assert.equal(outcome.ok, true);
  assert.equal(asked, 1);
  assert.deepEqual(listener.connected.map(plain), [ADMITTED]);
});

test('nothing is written to another address than was judged, once it shows', async (t) => {
  const listener = await listenerFor(t);
  const { allow } = listener;
  let read = 0;
  const turning = {
    get address() {
      return read++ === 0 ? ADMITTED : FORBIDDEN;
    },
    family: 4,
  };
  const outbound = outboundFor(t, { ...strict, allow, resolve: async () => [turning] });
  const outcome = await outbound.post(`http://turns.example:${listener.port}/`, 'secret', {});
  assert.equal(outcome.ok ? 'reached' : outcome.kind, 'blocked_address');
  assert.deepEqual(listener.connected.map(plain), [FORBIDDEN], 'the trick works without a check');
  assert.deepEqual(listener.bodies, []);
});

test('of mixed addresses none is connected to, in either order and family', async (t) => {
  const listener = await listenerFor(t);
  const { allow } = listener;
  const bad = [
    v4(FORBIDDEN),
    { address: '::1', family: 6 },
    { address: '::ffff:7f00:1', family: 6 },
  ];
  for (const inward of bad) {
    for (const mixed of [
      [v4(ADMITTED), inward],
      [inward, v4(ADMITTED)],
    ]) {
      const outbound = outboundFor(t, { ...strict, allow, resolve: async () => mixed });
      const outcome = await outbound.post(`http://mixed.example:${listener.port}/`, '{}', {});
      assert.equal(outcome.ok ? 'reached' : outcome.kind, 'blocked_address', inward.address);
    }
  }
  assert.deepEqual(listener.connected, []);
});
