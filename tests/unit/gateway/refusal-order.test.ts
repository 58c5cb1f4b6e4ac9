/** C7, D7: which refusal comes first, and the form that every one of them has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT_KEY,
  ASLEEP,
  ASLEEP_REASON,
  CHANNEL_KEY,
  errorOf,
  LIMITED_KEY,
  MAIN,
  REVOKED_KEY,
  type SendInit,
  SHOP,
  startGateway,
  UNKNOWN_KEY,
  useGateway,
} from '../../support/gateway/gateway-fixture.ts';

const gateway = useGateway();

const MESSAGES = '/api/v1/messages';
const GOOD = { channelId: MAIN, phone: '+55 11 98888-7777', text: 'oi' };
const BAD = { ...GOOD, text: 5 };
const HUGE = 'x'.repeat(1024 * 1024 + 1);

/** Everything that could be wrong is wrong from the row's own fault on. */
const ORDER: readonly (readonly [string, string, SendInit, number])[] = [
  ['an unknown path', '/api/v1/nothing', { method: 'PUT', key: 'bad', body: HUGE }, 404],
  ['a trailing slash', '/api/v1/me/', { key: null }, 404],
  ['a wrong method', MESSAGES, { method: 'PUT', key: 'bad', body: HUGE }, 405],
  ['no key', MESSAGES, { key: null, body: HUGE }, 401],
  ['a key that cannot be one', MESSAGES, { key: 'short', body: HUGE }, 401],
  ['an unknown key', MESSAGES, { key: UNKNOWN_KEY, body: HUGE }, 401],
  ['a revoked key', MESSAGES, { key: REVOKED_KEY, body: HUGE }, 401],
  ['a full window', MESSAGES, { key: LIMITED_KEY, body: HUGE }, 429],
  ['a body over 1 MiB', MESSAGES, { body: HUGE }, 413],
  ['no body', MESSAGES, { method: 'POST' }, 400],
  ['no JSON', MESSAGES, { body: '{"text":' }, 400],
  ['deep nonsense', MESSAGES, { body: '['.repeat(500_000) }, 400],
  ['JSON that is no object', MESSAGES, { body: [] }, 422],
  ['bad fields on another channel', MESSAGES, { key: CHANNEL_KEY, body: BAD }, 422],
  ['another channel', MESSAGES, { key: CHANNEL_KEY, body: GOOD }, 403],
  ['a channel that is not', MESSAGES, { body: { ...GOOD, channelId: 'chn_none' } }, 404],
  ['a channel that is asleep', MESSAGES, { body: { ...GOOD, channelId: ASLEEP } }, 409],
  ['nothing wrong', MESSAGES, { body: GOOD }, 201],
];

for (const [what, path, init, status] of ORDER) {
  test(`section 7: ${what} is ${status}`, async () => {
    const response = await gateway.send(path, init);
    assert.equal(response.status, status);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.match(response.headers.get('x-request-id') ?? '', /^req_\w{22}$/);
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.equal(response.headers.get('uwebsockets'), null);
    const { error, issues } = await errorOf(response);
    assert.equal(typeof error, status < 400 ? 'undefined' : 'string');
    assert.equal(Array.isArray(issues), status === 422);
  });
}

test('decisions: 405 names the methods of a known path', async () => {
  const allow = async (path: string, method: string) => {
    const response = await gateway.send(path, { method, key: null });
    assert.equal(response.status, 405);
    return response.headers.get('allow');
  };
  assert.equal(await allow(MESSAGES, 'DELETE'), 'GET, HEAD, POST');
  assert.equal(await allow(MESSAGES, 'OPTIONS'), 'GET, HEAD, POST');
  assert.equal(await allow('/api/v1/events/ack', 'HEAD'), 'POST');
  assert.equal(await allow('/networks/web/chn_main', 'HEAD'), 'POST');
  assert.equal(await allow('/networks/cloud/chn_main', 'HEAD'), 'GET, POST');
});

test('section 7: 429 tells when to come back, and both windows', async () => {
  const response = await gateway.send('/api/v1/me', { key: LIMITED_KEY });
  assert.equal(response.headers.get('retry-after'), '17');
  assert.equal(response.headers.get('ratelimit-policy'), '"key";q=120;w=60, "org";q=600;w=60');
  assert.equal(response.headers.get('ratelimit'), '"key";r=119;t=60, "org";r=599;t=60');
});

test('decisions, Rate window: every admitted answer tells both windows, a 422 too', async () => {
  for (const body of [GOOD, {}, '{']) {
    const response = await gateway.send(MESSAGES, { body });
    assert.ok(response.headers.has('ratelimit'), `${response.status}`);
    assert.ok(response.headers.has('ratelimit-policy'), `${response.status}`);
  }
});

test('section 7: the 409 of a sleeping channel carries its reason', async () => {
  const response = await gateway.send(MESSAGES, { body: { ...GOOD, channelId: ASLEEP } });
  assert.deepEqual(await response.json(), { error: ASLEEP_REASON });
});

test('section 5: a channel key may leave its channel out, and gets 403 for any other', async () => {
  const { channelId: _, ...withoutChannel } = GOOD;
  const own = await gateway.send(MESSAGES, { key: CHANNEL_KEY, body: withoutChannel });
  assert.equal(own.status, 201);
  assert.equal(gateway.bus.commands().at(-1)?.command.channelId, SHOP);
  for (const channelId of [MAIN, 'chn_none', 'no id at all']) {
    const body = { ...GOOD, channelId };
    assert.equal((await gateway.send(MESSAGES, { key: CHANNEL_KEY, body })).status, 403);
    const query = new URLSearchParams({ channelId });
    const path = `/api/v1/conversations?${query}`;
    assert.equal((await gateway.send(path, { key: CHANNEL_KEY })).status, 403);
    assert.equal((await gateway.send(path)).status, 200, 'an account key sees an empty list');
  }
  await gateway.send('/api/v1/conversations', { key: CHANNEL_KEY });
  const { payload } = gateway.bus.queried.at(-1) ?? {};
  assert.deepEqual(payload, { orgId: 'org_1', page: 1, limit: 50, channelId: SHOP });
});

test('section 4: what does not look like a conversation is 404 without asking', async () => {
  const asked = gateway.bus.commands().length;
  const queried = gateway.bus.queried.length;
  for (const conversationId of ['no.id', '*', 'x'.repeat(41), 'ção']) {
    const body = { channelId: MAIN, conversationId, text: 'oi' };
    assert.equal((await gateway.send(MESSAGES, { body })).status, 404);
    const query = new URLSearchParams({ conversationId });
    assert.equal((await gateway.send(`${MESSAGES}?${query}`)).status, 404);
  }
  assert.equal(gateway.bus.commands().length, asked);
  assert.equal(gateway.bus.queried.length, queried);
});

test('section 7: a fault is a 500 that tells nothing of its cause', async () => {
  await using broken = await startGateway();
  broken.bus.onAsk = () => {
    throw new Error('secret detail');
  };
  const response = await broken.send('/api/v1/me', { key: ACCOUNT_KEY });
  assert.equal(response.status, 500);
  assert.deepEqual(await response.json(), { error: 'Erro interno. Tente novamente em instantes.' });
  broken.bus.up = false;
  assert.equal((await broken.send('/api/v1/me')).status, 500);
});

test("decisions: an answer carries the caller's request id if it is sane", async () => {
  const send = (id: string) => gateway.send('/healthz', { headers: { 'x-request-id': id } });
  assert.equal((await send('Abc-1.2_3')).headers.get('x-request-id'), 'Abc-1.2_3');
  assert.notEqual((await send('a b')).headers.get('x-request-id'), 'a b');
  assert.notEqual((await send('a'.repeat(129))).headers.get('x-request-id'), 'a'.repeat(129));
});
