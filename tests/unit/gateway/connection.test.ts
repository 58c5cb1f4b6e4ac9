/** Clients' misuse of a connection: it neither ends nor blocks the process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT_KEY,
  type Fixture,
  MAIN,
  SIGNED,
  startGateway,
  UNKNOWN_KEY,
} from '../../support/gateway/gateway-fixture.ts';
import { answers, RawClient } from '../../support/gateway/raw-client.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

const MESSAGE = JSON.stringify({ channelId: MAIN, phone: '+55 11 98888-7777', text: 'olá' });
const BYTES = Buffer.byteLength(MESSAGE);
const HEAD = `POST /api/v1/messages HTTP/1.1\r\nHost: a\r\nx-api-key: ${ACCOUNT_KEY}\r\n`;
const POST = `${HEAD}Content-Length: ${BYTES}\r\n\r\n${MESSAGE}`;

async function answersTo(client: RawClient, count = 1): Promise<readonly string[]> {
  return answers(await client.until((received) => answers(received).length >= count));
}

async function exchange(gateway: Fixture, text: string, count: number): Promise<readonly string[]> {
  using client = await RawClient.open(gateway.port);
  client.write(text);
  return await answersTo(client, count);
}

const held = ({ gateway }: Fixture) =>
  gateway.bodies.callers.held + gateway.bodies.unauthenticated.held;

/** Until the result is called, no command but an admission is answered. */
function holdCommands({ bus }: Fixture): () => void {
  const { onAsk } = bus;
  const { promise, resolve } = Promise.withResolvers<void>();
  bus.onAsk = async (asked) => {
    if (asked.command.type !== 'admit') await promise;
    return onAsk(asked);
  };
  return resolve;
}

async function until(fact: () => boolean): Promise<void> {
  await waitFor(fact, { what: String(fact) });
}

test('pipelined requests are answered in order, also behind one that was refused', async () => {
  await using gateway = await startGateway();
  assert.deepEqual(await exchange(gateway, POST.repeat(3), 3), ['201', '201', '201']);
  const nowhere = `POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: ${BYTES}\r\n\r\n${MESSAGE}`;
  const keyless = POST.replace(/x-api-key: .*\r\n/, '');
  const mixed = nowhere + POST + keyless + POST;
  assert.deepEqual(await exchange(gateway, mixed, 4), ['404', '201', '401', '201']);
  const getWithBody = 'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello';
  assert.deepEqual(await exchange(gateway, getWithBody + POST, 2), ['200', '201']);
});

test('a body may come in chunks, byte by byte', async () => {
  await using gateway = await startGateway();
  const bytes = Buffer.from(MESSAGE);
  const cut = bytes.indexOf('á') + 1;
  const chunk = (part: Buffer) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  using chunked = await RawClient.open(gateway.port);
  chunked.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) chunked.write(chunk(part));
  chunked.write('0\r\n\r\n');
  assert.deepEqual(await answersTo(chunked), ['201']);
  using slow = await RawClient.open(gateway.port);
  for (const byte of Buffer.from(POST)) {
    slow.write(Buffer.of(byte));
    await new Promise((resume) => setImmediate(resume));
  }
  assert.deepEqual(await answersTo(slow), ['201']);
  assert.equal(gateway.bus.commands().at(-1)?.command.text, 'olá');
  assert.equal(held(gateway), 0);
});

test('a byte order mark before a JSON body is skipped, one within it is not', async () => {
  await using gateway = await startGateway();
  assert.equal((await gateway.send('/api/v1/messages', { body: `\uFEFF${MESSAGE}` })).status, 201);
  assert.equal(gateway.bus.commands().at(-1)?.command.text, 'olá');
  for (const body of [`\uFEFF\uFEFF${MESSAGE}`, ` \uFEFF${MESSAGE}`, '\uFEFF']) {
    assert.equal((await gateway.send('/api/v1/messages', { body })).status, 400);
  }
});

test('HEAD is answered as GET is, without its body, and counts as a call', async () => {
  await using gateway = await startGateway();
  const ended = Promise.withResolvers<void>();
  gateway.gateway.streamLimiter.tryAcquire = () => ended.resolve;
  const { onQuery } = gateway.bus;
  gateway.bus.onQuery = (asked) => {
    if (asked.resource !== 'deals') return onQuery(asked);
    const rest = { resource: 'deals-rest', payload: {} } as const;
    return { status: 200, body: '{"data":[', rest };
  };
  const paths = [
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/api/v1/contacts',
    '/api/v1/contacts?page=x',
  ];
  for (const path of paths) {
    const told = async (method: string) => {
      const { status, headers } = await gateway.send(path, { method });
      return [status, headers.get('content-length'), headers.get('ratelimit')];
    };
    assert.deepEqual(await told('HEAD'), await told('GET'), path);
  }
  const admits = gateway.bus.asked.filter(({ command }) => command.type === 'admit');
  assert.equal(admits.length, 4);
  using client = await RawClient.open(gateway.port);
  const get = (path: string, method: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${ACCOUNT_KEY}\r\n\r\n`;
  client.write(get('/api/v1/deals', 'HEAD') + get('/api/v1/contacts', 'HEAD'));
  const heads = await client.until((received) => received.split('\r\n\r\n').length > 2);
  assert.deepEqual(answers(heads), ['200', '200']);
  assert.ok(heads.endsWith('\r\n\r\n') && !heads.includes('data'), heads);
  await ended.promise;
});

test('Keep-Alive promises no more than the idle time that a connection is given', async () => {
  await using gateway = await startGateway();
  using client = await RawClient.open(gateway.port);
  const askedAt = performance.now();
  client.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  const text = await client.closed();
  const [, seconds] = /\r\nkeep-alive: timeout=(\d+)\r\n/i.exec(text) ?? [];
  assert.ok(performance.now() - askedAt >= Number(seconds) * 1_000, text);
});

test('section 7: bytes that are not UTF-8 are not JSON', async () => {
  await using gateway = await startGateway();
  using client = await RawClient.open(gateway.port);
  client.write(`${HEAD}Content-Length: 12\r\n\r\n`);
  client.write(Buffer.from([...Buffer.from('{"text":"'), 0xc3, 0x28, 0x22]));
  assert.deepEqual(await answersTo(client), ['400']);
});

test('malformed requests are refused by the server below, which lives on', async () => {
  await using gateway = await startGateway();
  const cases = [
    'garbage\r\n\r\n',
    'GET /healthz HTTP/1.1\r\n\r\n',
    'GET /healthz HTTP/1.0\r\n\r\n',
    `${HEAD}Content-Length: abc\r\n\r\n`,
    `${HEAD}Content-Length: -5\r\n\r\n`,
    `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Big: ${'a'.repeat(100_000)}\r\n\r\n`,
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  ];
  for (const text of cases) {
    using client = await RawClient.open(gateway.port);
    client.write(text);
    client.socket.end();
    const [status = '400'] = answers(await client.closed());
    assert.match(status, /^(400|431|505)$/, text.slice(0, 60));
  }
  assert.equal((await gateway.send('/healthz')).status, 200);
});

test('a peer that leaves in the middle of a body or of an ask is forgotten', async () => {
  await using gateway = await startGateway();
  const resolve = holdCommands(gateway);
  const midAsk = await RawClient.open(gateway.port);
  midAsk.write(POST);
  await until(() => gateway.bus.commands().length === 1);
  midAsk.socket.resetAndDestroy();
  const midBody = await RawClient.open(gateway.port);
  midBody.write(`${HEAD}Content-Length: ${BYTES}\r\n\r\n${MESSAGE.slice(0, 10)}`);
  await until(() => held(gateway) > 0);
  midBody.socket.resetAndDestroy();
  await until(() => gateway.logged.length === 2);
  resolve();
  const statuses = gateway.logged.map(({ status }) => status);
  assert.deepEqual(statuses, [0, 0]);
  assert.equal((await gateway.send('/api/v1/me')).status, 201);
  assert.equal(held(gateway), 0);
});

test('a client that closes its half after asking is answered or forgotten, never waited for', async () => {
  await using gateway = await startGateway();
  using client = await RawClient.open(gateway.port);
  client.write(POST);
  client.socket.end();
  await client.closed();
  await until(() => gateway.logged.length === 1);
  assert.equal((await gateway.send('/healthz')).status, 200);
});

test('a sender that dawdles is cut off after 30 s', async () => {
  const clock = new ManualClock();
  await using gateway = await startGateway({ clock });
  using client = await RawClient.open(gateway.port);
  client.write(`${HEAD}Content-Length: ${BYTES}\r\n\r\n${MESSAGE.slice(0, 10)}`);
  await until(() => clock.waiting === 1);
  clock.advance(29_999);
  assert.equal(clock.waiting, 1);
  clock.advance(1);
  assert.equal(await client.closed(), '');
  assert.equal(clock.waiting, 0);
  assert.equal(held(gateway), 0);
});

test('section 7: a body far too large is refused with 413, and its sender can read that', async () => {
  await using gateway = await startGateway();
  const size = 8 * 1024 * 1024;
  const text = `${HEAD}Content-Length: ${size}\r\n\r\n${'x'.repeat(size)}${POST}`;
  assert.deepEqual(await exchange(gateway, text, 2), ['413', '201']);
  const endless = 'x'.repeat(17 * 1024 * 1024);
  using client = await RawClient.open(gateway.port);
  client.write(`${HEAD}Content-Length: 99999999\r\n\r\n${endless}`);
  assert.ok(['413', undefined].includes(answers(await client.closed())[0]));
});

test('bodies under way never hold more than their budget together', async () => {
  await using gateway = await startGateway({ budgetBytes: 1000 });
  const body = JSON.stringify({ phone: '+55 11 98888-7777', fields: { a: 'x'.repeat(2000) } });
  assert.equal((await gateway.send('/api/v1/contacts', { body })).status, 500);
  assert.equal(held(gateway), 0);
  assert.equal((await gateway.send('/api/v1/messages', { body: MESSAGE })).status, 201);
});

test('a stop answers what is under way with Connection: close, then lets go', async () => {
  const gateway = await startGateway();
  const resolve = holdCommands(gateway);
  using idle = await RawClient.open(gateway.port);
  using busy = await RawClient.open(gateway.port);
  busy.write(POST);
  await until(() => gateway.bus.commands().length === 1);
  const stopped = gateway.stop();
  await assert.rejects(RawClient.open(gateway.port));
  resolve();
  await stopped;
  const text = await busy.closed();
  assert.deepEqual(answers(text), ['201']);
  assert.match(text, /connection: close/i);
  assert.doesNotMatch(text, /keep-alive/i);
  assert.equal(await idle.closed(), '');
});

const ROOM = 10_000;
const PART = 'x'.repeat(6_000);
const LONG = Object.fromEntries('abcdefghij'.split('').map((name) => [name, 'x'.repeat(480)]));
const GOOD = { phone: '+55 11 98888-7777', fields: LONG };

/** The beginning of a request whose body is said to be longer than what comes of it. */
async function begin(gateway: Fixture, path: string, key?: string): Promise<RawClient> {
  const client = await RawClient.open(gateway.port);
  const signature = `x-hub-signature-256: ${SIGNED.cloud['x-hub-signature-256']}`;
  const said = `${key === undefined ? signature : `x-api-key: ${key}`}\r\n`;
  client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${said}Content-Length: 9000\r\n\r\n${PART}`);
  return client;
}

test('what has come of a body is let go when its sender is refused', async () => {
  await using gateway = await startGateway();
  for (const key of [UNKNOWN_KEY, undefined, 'short']) {
    using client = await begin(gateway, '/api/v1/contacts', key);
    assert.deepEqual(await answersTo(client), ['401']);
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
  const flood = await gateway.send('/networks/web/chn_shop', {
    key: null,
    headers: SIGNED.web,
    body: PART,
  });
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
  const post = { key: null, headers: SIGNED.cloud, body: PART };
  const first = gateway.send(path, post);
  await until(() => gateway.bus.asked.length === 1);
  assert.equal((await gateway.send(path, post)).status, 500);
  answer.resolve();
  assert.equal((await first).status, 200);
  assert.equal((await gateway.send(path, post)).status, 200);
  assert.equal(held(gateway), 0);
});
