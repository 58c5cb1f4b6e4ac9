/** C5: how a key is read, found, remembered and refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readKey } from '../../../gateway/authenticate.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import {
  ACCOUNT_KEY,
  admission,
  CHANNEL_KEY,
  ids,
  REVOKED_KEY,
  startGateway,
  UNKNOWN_KEY,
} from '../../support/gateway/gateway-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

const KEY = 'k'.repeat(24);

const HEADERS: readonly (readonly [string, string, string, string | null])[] = [
  ['a bearer key', `Bearer ${KEY}`, '', KEY],
  ['any case of the scheme', `bEARER ${KEY}`, '', KEY],
  ['an x-api-key', '', KEY, KEY],
  ['both the same', `Bearer ${KEY}`, KEY, KEY],
  ['both and different', `Bearer ${KEY}`, `${KEY}x`, null],
  ['another scheme', `Basic ${KEY}`, '', null],
  ['a key beside another scheme', 'Basic dXNlcjpwYXNz', KEY, KEY],
  ['another scheme beside no key', 'Basic dXNlcjpwYXNz', 'short', null],
  ['no scheme', KEY, '', null],
  ['nothing', '', '', null],
  ['23 characters', '', 'k'.repeat(23), null],
  ['200 characters', '', 'k'.repeat(200), 'k'.repeat(200)],
  ['201 characters', '', 'k'.repeat(201), null],
  ['a control character', '', `${KEY}\u0001`, null],
];

for (const [what, authorization, apiKey, expected] of HEADERS) {
  test(`section 5: ${what} ${expected === null ? 'is no key' : 'is a key'}`, () => {
    assert.equal(readKey(authorization, apiKey), expected);
  });
}

test('section 5: a key is looked up once, admitted on every call, and known by digest only', async () => {
  await using gateway = await startGateway();
  for (let call = 0; call < 3; call++) assert.ok((await gateway.send('/api/v1/me')).ok);
  const payload = { digest: ids.digest(ACCOUNT_KEY) };
  assert.deepEqual(gateway.bus.queried, [{ resource: 'key', payload }]);
  const admits = gateway.bus.asked.filter(({ command }) => command.type === 'admit');
  const versions = admits.map(({ command }) => command.knownVersion);
  assert.deepEqual(versions, [null, 7, 7]);
  assert.equal(new Set(admits.map(({ command }) => command.id)).size, 3);
  assert.deepEqual(admits[0]?.address, { kind: 'organization', key: 'org_1' });
  const told = JSON.stringify([gateway.bus.asked, gateway.bus.queried, gateway.logged]);
  assert.ok(!told.includes(ACCOUNT_KEY));
});

const REVOKED: Answer = { status: 200, body: '', admission: { outcome: 'unauthorized' } };

test('section 5: a revoked key is refused at once, and is looked up again afterwards', async () => {
  await using gateway = await startGateway();
  assert.equal((await gateway.send('/api/v1/me')).status, 201);
  const { onAsk } = gateway.bus;
  gateway.bus.onAsk = () => REVOKED;
  assert.equal((await gateway.send('/api/v1/me')).status, 401);
  gateway.bus.onAsk = onAsk;
  assert.equal((await gateway.send('/api/v1/me')).status, 201);
  assert.equal(gateway.bus.queried.length, 2);
  const revoked = await gateway.send('/api/v1/me', { key: REVOKED_KEY });
  assert.equal(revoked.status, 401);
  assert.equal(revoked.headers.get('www-authenticate'), 'Bearer', 'RFC 9110, 11.6.1');
});

test('decisions, Rate window: invalid keys are throttled by address, known keys never', async () => {
  const clock = new ManualClock();
  await using gateway = await startGateway({ clock });
  assert.equal((await gateway.send('/api/v1/me')).status, 201);
  for (let call = 0; call < 100; call++) {
    const response = await gateway.send('/api/v1/me', { key: `${UNKNOWN_KEY}${call}` });
    assert.equal(response.status, 401);
  }
  const asked = gateway.bus.queried.length;
  const refusing = gateway.send('/api/v1/me', { key: UNKNOWN_KEY });
  await waitFor(() => clock.waiting > 0, { what: 'the key waits in the slow lane' });
  assert.equal(gateway.bus.queried.length, asked, 'nobody is asked at once');
  assert.equal((await gateway.send('/api/v1/me')).status, 201, 'a known key goes through');
  clock.advance(25);
  const refused = await refusing;
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
  const payload = { digests: [ids.digest(UNKNOWN_KEY)] };
  assert.deepEqual(gateway.bus.queried.slice(asked), [{ resource: 'keys', payload }]);
  clock.advance(1_000);
  assert.equal((await gateway.send('/api/v1/me', { key: CHANNEL_KEY })).status, 201);
  assert.equal((await gateway.send('/api/v1/me', { key: UNKNOWN_KEY })).status, 401);
});

test('an older admission never replaces a newer caller', async () => {
  await using gateway = await startGateway();
  await gateway.send('/api/v1/me');
  const known = gateway.gateway.keys.get(ids.digest(ACCOUNT_KEY));
  assert.ok(known?.caller);
  known.caller = { ...known.caller, version: 9 };
  const { onAsk } = gateway.bus;
  gateway.bus.onAsk = (asked) =>
    asked.command.type === 'admit'
      ? admission({ ...asked.command, knownVersion: null })
      : onAsk(asked);
  await gateway.send('/api/v1/me');
  assert.equal(known.caller.version, 9);
});

test('requests wait for the installation to be known, health does not', async () => {
  await using gateway = await startGateway({ knowsInstallation: false });
  const waiting = gateway.send('/api/v1/me');
  assert.equal((await gateway.send('/healthz')).status, 200);
  const notReady = await gateway.send('/readyz');
  assert.equal(notReady.status, 503);
  gateway.gateway.installation.learn(ids);
  assert.equal((await waiting).status, 201);
});
