/**
 * Webhooks of networks before they are verified: anybody posts them, so they cost others nothing
 * (D323).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { NetworkThrottle } from '../../../../gateway/throttling/network-throttle.ts';
import {
  NETWORK_LARGE_BYTES,
  NETWORK_UNVERIFIED_BYTES,
  NETWORK_WEBHOOK_MAX_BYTES,
} from '../../../../shared/limits.ts';
import { AskFailed } from '../../../../shared/ports/bus.ts';
import {
  type Fixture,
  MAIN,
  SHOP,
  SIGNED,
  startGateway,
} from '../../../support/gateway/gateway-fixture.ts';
import { answers, RawClient } from '../../../support/gateway/raw-client.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';

const LARGE = 'x'.repeat(NETWORK_LARGE_BYTES + 1);
const HEX = 'ab'.repeat(32);

/** The answer to a head that says 4 MiB, of which nothing comes. */
async function answerToHead(
  gateway: Fixture,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  using client = await RawClient.open(gateway.port);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `Content-Length: ${NETWORK_WEBHOOK_MAX_BYTES}`;
  client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${lines.join('')}${length}\r\n\r\n`);
  return answers(await client.until((text) => answers(text).length > 0))[0];
}

test('an unknown channel is 404 before its body comes, for one small question', async () => {
  const clock = new ManualClock();
  await using gateway = await startGateway({ clock });
  for (let n = 0; n < 3; n++) {
    assert.equal(await answerToHead(gateway, '/networks/cloud/chn_x', SIGNED.cloud), '404');
  }
  assert.equal(await answerToHead(gateway, `/networks/web/${MAIN}`, SIGNED.web), '404');
  assert.deepEqual([gateway.bus.queried.length, gateway.bus.asked.length], [2, 0]);
  clock.advance(2_000);
  assert.equal(await answerToHead(gateway, '/networks/cloud/chn_x', SIGNED.cloud), '404');
  assert.equal(gateway.bus.queried.length, 3, 'a new channel is known soon');
});

test('a missing or malformed signature is 401 before the body comes, and is told its owner', async () => {
  await using gateway = await startGateway();
  gateway.bus.onAsk = () => ({ status: 401, body: '{}' });
  const malformed: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ...['', HEX, 'sha256=', `sha256=${HEX}0`, `sha256=${HEX.replace('a', 'g')}`, `sha1=${HEX}`].map(
      (value) => [`/networks/cloud/${MAIN}`, { 'x-hub-signature-256': value }] as const,
    ),
    [`/networks/cloud/${MAIN}`, SIGNED.web],
    [`/networks/web/${SHOP}`, SIGNED.cloud],
    [`/networks/web/${SHOP}`, { 'x-webhook-hmac': HEX }],
    [`/networks/web/${SHOP}`, { ...SIGNED.web, 'x-webhook-hmac-algorithm': 'sha256' }],
  ];
  for (const [path, headers] of malformed) {
    assert.equal(await answerToHead(gateway, path, headers), '401', JSON.stringify(headers));
  }
  const told = gateway.bus.asked.map(({ address, command }) => [address.key, command.rawBody]);
  assert.deepEqual(told, [
    [MAIN, ''],
    [SHOP, ''],
  ]);
});

test('the body waits in the connection until its channel is found', async (t) => {
  await using gateway = await startGateway();
  const found = Promise.withResolvers<void>();
  t.signal.addEventListener('abort', () => found.resolve());
  gateway.bus.onAsk = () => ({ status: 200, body: '{}' });
  gateway.bus.onQuery = async () => {
    await found.promise;
    return { status: 200, body: '{"orgId":"org_1","provider":"cloud"}' };
  };
  const body = 'x'.repeat(NETWORK_WEBHOOK_MAX_BYTES);
  const post = { key: null, headers: SIGNED.cloud, body };
  const sent = gateway.send(`/networks/cloud/${MAIN}`, post);
  await waitFor(() => gateway.bus.queried.length === 1, { what: 'the channel is asked for' });
  for (let turn = 0; turn < 100; turn++) await new Promise((next) => setImmediate(next));
  const { held } = gateway.gateway.bodies.unauthenticated;
  assert.ok(held < NETWORK_WEBHOOK_MAX_BYTES / 2, `${held} bytes were read`);
  found.resolve();
  assert.equal((await sent).status, 200);
  const [{ command } = { command: {} }] = gateway.bus.asked;
  assert.equal(Buffer.from(String(Reflect.get(command, 'rawBody')), 'base64').length, body.length);
});

test('a large body is asked once, and put off when nobody answers; a small one is repeated', async () => {
  await using gateway = await startGateway();
  gateway.bus.onAsk = () => {
    throw new AskFailed('nobody');
  };
  const post = async (body: string) => {
    const answer = await gateway.send(`/networks/web/${SHOP}`, {
      ...{ key: null, headers: SIGNED.web, body },
    });
    return [answer.status, answer.headers.get('retry-after')];
  };
  assert.deepEqual(await post(LARGE), [503, '1']);
  assert.deepEqual(await post(LARGE.slice(1)), [500, null]);
  assert.deepEqual(
    gateway.bus.asked.map(({ options }) => options.once),
    [true, undefined],
  );
});

/** Large bodies are not answered before the test says so. Each channel is of its organization. */
async function startSlow() {
  const clock = new ManualClock();
  const gateway = await startGateway({ clock });
  const answer = Promise.withResolvers<void>();
  gateway.bus.onAsk = async ({ command }) => {
    if (String(command.rawBody).length > NETWORK_LARGE_BYTES) await answer.promise;
    return { status: 200, body: '{}' };
  };
  gateway.bus.onQuery = ({ payload }) => {
    const { channelId } = v.parse(v.object({ channelId: v.string() }), payload);
    const [orgId] = channelId.split('-');
    return { status: 200, body: JSON.stringify({ orgId, provider: 'cloud' }) };
  };
  const post = (channelId: string, body: string) =>
    gateway.send(`/networks/cloud/${channelId}`, { key: null, headers: SIGNED.cloud, body });
  /** Resolves when the body waits for its turn. */
  const postAndWait = async (channelId: string) => {
    const timers = clock.waiting;
    const posted = post(channelId, LARGE);
    await waitFor(() => clock.waiting > timers, { what: `the body for ${channelId} waits` });
    return { posted };
  };
  const stop = async (): Promise<void> => {
    answer.resolve();
    await gateway.stop();
  };
  const { bus } = gateway;
  return { bus, clock, answer: answer.resolve, post, postAndWait, [Symbol.asyncDispose]: stop };
}

async function assertPutOff(posted: Promise<Response>): Promise<void> {
  const { status, headers } = await posted;
  assert.deepEqual([status, headers.get('retry-after')], [503, '1']);
}

async function assertTaken(posted: readonly Promise<Response>[]): Promise<void> {
  for (const { status } of await Promise.all(posted)) assert.equal(status, 200);
}

test('two large bodies are on their way at once; others wait, and are put off at last', async () => {
  await using slow = await startSlow();
  const { bus, clock, answer, post, postAndWait } = slow;
  const first = [post('a-1', LARGE), post('b-1', LARGE)];
  await waitFor(() => bus.asked.length === 2, { what: 'two are on their way' });
  const third = await postAndWait('c-1');
  await assertTaken([post('c-1', '{}')]);
  clock.advance(1_000);
  await assertPutOff(third.posted);
  answer();
  await assertTaken(first);
  await assertTaken([post('c-1', LARGE), post('a-1', LARGE)]);
});

test('an organization with many large bodies leaves a place to another', async () => {
  await using slow = await startSlow();
  const { bus, clock, answer, post, postAndWait } = slow;
  const first = post('a-1', LARGE);
  await waitFor(() => bus.asked.length === 1, { what: 'one is on its way' });
  const others = [await postAndWait('a-1'), await postAndWait('a-2'), await postAndWait('a-2')];
  const another = post('b-1', LARGE);
  await waitFor(() => bus.asked.length === 2, { what: 'another organization has a place' });
  clock.advance(1_000);
  for (const { posted } of others) await assertPutOff(posted);
  answer();
  await assertTaken([first, another]);
  await assertTaken([post('a-2', LARGE)]);
});

test('what fails its verification uses up the budget of its address and channel alone', () => {
  const clock = new ManualClock();
  const throttle = new NetworkThrottle(
    { query: () => Promise.reject(new Error('unasked')) },
    clock,
  );
  const begin = (length?: number, peer = 'a', channel = 'c') =>
    throttle.begin(peer, channel, length);
  const use = (verified: boolean, ...given: Parameters<typeof begin>) => {
    const end = begin(...given);
    assert.ok(typeof end === 'function');
    end(verified);
  };
  for (let n = 0; n < 10; n++) use(true, NETWORK_WEBHOOK_MAX_BYTES);
  for (let n = 0; n < NETWORK_UNVERIFIED_BYTES / NETWORK_WEBHOOK_MAX_BYTES; n++) use(false);
  assert.equal(begin(NETWORK_WEBHOOK_MAX_BYTES), 30, 'seconds until so many bytes are free');
  use(true, NETWORK_WEBHOOK_MAX_BYTES, 'b');
  use(true, NETWORK_WEBHOOK_MAX_BYTES, 'a', 'd');
  const small = begin(100);
  assert.equal(begin(100), 1, 'one small body at a time');
  assert.ok(typeof small === 'function');
  small(false);
  use(false, NETWORK_LARGE_BYTES);
  clock.advance(30_000);
  use(false, NETWORK_WEBHOOK_MAX_BYTES);
  assert.equal(typeof begin(NETWORK_WEBHOOK_MAX_BYTES), 'number');
});
