/** Messages of `/mcp` without a client: refusals of HTTP, JSON-RPC and each revision (D259). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { FAILURES } from '../../../../shared/failures.ts';
import {
  LIMITED_KEY,
  MAIN,
  REVOKED_KEY,
  type SendInit,
  startGateway,
  UNKNOWN_KEY,
  useGateway,
} from '../../../support/gateway/gateway-fixture.ts';
import { modernRpc, rpc } from '../../../support/mcp.ts';

const gateway = useGateway();

const PING = rpc('ping');
const HUGE = 'x'.repeat(1024 * 1024 + 1);
const FOREIGN = { origin: 'http://evil.example' };

const Answered = v.object({
  jsonrpc: v.literal('2.0'),
  id: v.optional(v.union([v.string(), v.number()])),
  result: v.optional(v.record(v.string(), v.unknown())),
  error: v.optional(
    v.object({ code: v.number(), message: v.string(), data: v.optional(v.unknown()) }),
  ),
});

function post(init: SendInit): Promise<Response> {
  return gateway.send('/mcp', { method: 'POST', ...init });
}

async function answerTo(init: SendInit) {
  const response = await post(init);
  return { status: response.status, ...v.parse(Answered, await response.json()) };
}

describe('answers of HTTP, in the order of every path', () => {
  const cases: readonly (readonly [string, SendInit, number, keyof typeof FAILURES])[] = [
    ['GET', { method: 'GET', key: null }, 405, 'method_not_allowed'],
    ['DELETE', { method: 'DELETE', key: null }, 405, 'method_not_allowed'],
    ['a foreign origin', { key: null, headers: FOREIGN, body: HUGE }, 403, 'other_origin'],
    ['the origin null', { headers: { origin: 'null' }, body: PING }, 403, 'other_origin'],
    ['no key', { key: null, body: HUGE }, 401, 'unauthorized'],
    ['an unknown key', { key: UNKNOWN_KEY, body: HUGE }, 401, 'unauthorized'],
    ['a revoked key', { key: REVOKED_KEY, body: HUGE }, 401, 'unauthorized'],
    ['a revoked key and a bad message', { key: REVOKED_KEY, body: '[' }, 401, 'unauthorized'],
    ['a full window', { key: LIMITED_KEY, body: PING }, 429, 'rate_limited'],
    ['a body over 1 MiB', { body: HUGE }, 413, 'body_too_large'],
  ];
  for (const [name, init, status, failure] of cases) {
    test(`${name} is ${status}`, async () => {
      const response = await post(init);
      assert.equal(response.status, status);
      assert.deepEqual(await response.json(), { error: FAILURES[failure].sentence });
      assert.match(response.headers.get('x-request-id') ?? '', /^req_\w{22}$/);
      assert.equal(response.headers.get('access-control-allow-origin'), null);
    });
  }

  test('405 names POST, 401 the scheme, 429 the seconds to wait', async () => {
    assert.equal((await post({ method: 'GET' })).headers.get('allow'), 'POST');
    const stranger = await post({ key: null, body: PING });
    assert.equal(stranger.headers.get('www-authenticate'), 'Bearer');
    assert.equal((await post({ key: LIMITED_KEY, body: PING })).headers.get('retry-after'), '17');
  });

  test('the own origin is served, and every admitted answer tells the windows', async () => {
    const response = await post({ headers: { origin: 'http://127.0.0.1' }, body: PING });
    assert.equal(response.status, 200);
    assert.ok(response.headers.has('ratelimit'));
    assert.deepEqual(await response.json(), { jsonrpc: '2.0', id: 1, result: {} });
  });

  test('without a connection it is a 500 as on every path', async () => {
    await using broken = await startGateway();
    broken.bus.up = false;
    const response = await broken.send('/mcp', { method: 'POST', body: PING });
    assert.equal(response.status, 500);
    assert.deepEqual(await response.json(), { error: FAILURES.fault.sentence });
  });
});

describe('errors of a message', () => {
  const notMessages = [
    '"ping"',
    'null',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"getMe"}}',
  ];
  const cases: readonly (readonly [string, string | Uint8Array, number, number])[] = [
    ['no body', '', 400, -32700],
    ['no JSON', '{"jsonrpc":', 400, -32700],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 400, -32700],
    ['deep nonsense', '['.repeat(500_000), 400, -32700],
    ['a batch', `[${PING}]`, 400, -32600],
    ...notMessages.map((body) => [body, body, 400, -32600] as const),
    ['an unknown method', rpc('resources/list'), 200, -32601],
    ['a method of the newer revision', rpc('server/discover'), 200, -32601],
    ['params that are a list', rpc('ping', []), 200, -32602],
    ['initialize without a version', rpc('initialize', {}), 200, -32602],
    ['a cursor', rpc('tools/list', { cursor: 'x' }), 200, -32602],
    ['a tool without a name', rpc('tools/call', {}), 200, -32602],
    ['an unknown tool', rpc('tools/call', { name: 'getNothing' }), 200, -32602],
    ['a row that is no tool', rpc('tools/call', { name: 'receiveInbound' }), 200, -32602],
    ['a name of a prototype', rpc('tools/call', { name: 'constructor' }), 200, -32602],
    ['arguments in a list', rpc('tools/call', { name: 'getMe', arguments: [] }), 200, -32602],
    ['arguments of a thousand levels', deepCall(1_000), 200, -32602],
    ['arguments of many levels', deepCall(400_000), 200, -32602],
  ];
  for (const [name, body, status, code] of cases) {
    test(`${name.slice(0, 60)} is ${code} in ${status}`, async () => {
      const response = await fetch(`${gateway.base}/mcp`, {
        method: 'POST',
        headers: { 'x-api-key': 'rcd_loja_account-key-0123456789' },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      });
      assert.equal(response.status, status);
      assert.ok(response.headers.has('ratelimit'), 'it is a call like any other');
      const { error, id } = v.parse(Answered, await response.json());
      assert.equal(error?.code, code);
      assert.match(error?.message ?? '', /\.$/, 'a sentence');
      assert.equal(id, status === 200 ? 1 : undefined);
    });
  }

  test('ids come back as they are', async () => {
    for (const id of [0, -7, 'a', '', 'ç'.repeat(500)]) {
      assert.equal((await answerTo({ body: rpc('ping', {}, id) })).id, id);
    }
  });

  test('a notification is accepted without a body, whatever it is', async () => {
    for (const method of ['initialized', 'cancelled', 'unheard/of']) {
      const body = JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}` });
      const response = await post({ body });
      assert.equal(response.status, 202);
      assert.equal(await response.text(), '');
    }
  });
});

/** JSON that is read without a recursion, and could not be written without one. */
function deepCall(levels: number): string {
  const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
  return rpc('tools/call', { name: 'sendMessage', arguments: { text: 0 } }).replace(
    '"text":0',
    `"text":${deep}`,
  );
}

describe('the revision of a message', () => {
  test('initialize agrees on a known version, else it offers the newest with a handshake', async () => {
    const agreed = async (protocolVersion: string) => {
      const { result } = await answerTo({ body: rpc('initialize', { protocolVersion }) });
      return result?.protocolVersion;
    };
    assert.equal(await agreed('2025-06-18'), '2025-06-18');
    assert.equal(await agreed('2025-11-25'), '2025-11-25');
    for (const other of ['2026-07-28', '2025-03-26', '1900-01-01']) {
      assert.equal(await agreed(other), '2025-11-25');
    }
  });

  test('a header with a known version is served, an unknown one is refused with the known', async () => {
    const ping = (version: string) =>
      answerTo({ body: PING, headers: { 'mcp-protocol-version': version } });
    assert.deepEqual((await ping('2025-06-18')).result, {});
    assert.deepEqual((await ping('2025-11-25')).result, {});
    for (const requested of ['2025-03-26', '1900-01-01', 'x']) {
      const { status, id, error } = await ping(requested);
      assert.deepEqual([status, id, error?.code], [400, 1, -32022]);
      const supported = ['2026-07-28', '2025-11-25', '2025-06-18'];
      assert.deepEqual(error?.data, { supported, requested });
    }
    const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const headers = { 'mcp-protocol-version': 'x' };
    assert.equal((await post({ body: initialized, headers })).status, 400);
  });

  test('2026-07-28: discovery, hints for caches, and the name of the server', async () => {
    const { status, result } = await answerTo(modernRpc('server/discover'));
    assert.equal(status, 200);
    assert.deepEqual(result?.supportedVersions, ['2026-07-28', '2025-11-25', '2025-06-18']);
    assert.deepEqual(result?.capabilities, { tools: {} });
    assert.deepEqual([result?.resultType, result?.cacheScope], ['complete', 'public']);
    const listed = await answerTo(modernRpc('tools/list'));
    assert.equal(listed.result?.cacheScope, 'private');
    assert.ok(Number(listed.result?.ttlMs) > 0);
    const called = await answerTo(modernRpc('tools/call', { name: 'getMe', arguments: {} }));
    assert.equal(called.result?.resultType, 'complete');
    const server = { name: 'recado', title: 'Recado', version: '1.0.0' };
    for (const { result: each } of [{ result }, listed, called]) {
      const meta = v.parse(v.record(v.string(), v.unknown()), each?._meta);
      assert.deepEqual(meta['io.modelcontextprotocol/serverInfo'], server);
    }
  });

  test('2026-07-28: methods of the handshake are absent, with 404', async () => {
    for (const method of ['initialize', 'ping', 'subscriptions/listen']) {
      const { status, error } = await answerTo(modernRpc(method));
      assert.deepEqual([status, error?.code], [404, -32601]);
    }
  });

  test('2026-07-28: what the headers do not mirror is refused, and nothing runs', async () => {
    const call = { channelId: MAIN, phone: '+55 11 98888-7777', text: 'oi' };
    const good = modernRpc('tools/call', { name: 'sendMessage', arguments: call });
    const asked = gateway.bus.commands().length;
    const without = (name: string) =>
      Object.fromEntries(Object.entries(good.headers).filter(([each]) => each !== name));
    const wrong = [
      without('mcp-protocol-version'),
      without('mcp-method'),
      without('mcp-name'),
      { ...good.headers, 'mcp-protocol-version': '2025-11-25' },
      { ...good.headers, 'mcp-method': 'tools/list' },
      { ...good.headers, 'mcp-name': 'getMe' },
      { ...good.headers, 'mcp-name': '=?base64?Z2V0TWU=?=' },
    ];
    for (const headers of wrong) {
      const { status, error, id } = await answerTo({ body: good.body, headers });
      assert.deepEqual([status, error?.code, id], [400, -32020, 1]);
    }
    assert.equal(gateway.bus.commands().length, asked);
    const encoded = Buffer.from('sendMessage').toString('base64');
    const headers = { ...good.headers, 'mcp-name': `=?base64?${encoded}?=` };
    assert.equal((await answerTo({ body: good.body, headers })).result?.isError, false);
  });

  test('2026-07-28: a message without its own metadata is refused', async () => {
    const { headers } = modernRpc('tools/list');
    const version = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    for (const params of [{}, { _meta: {} }, { _meta: version }, { _meta: [] }]) {
      const { status, error } = await answerTo({ body: rpc('tools/list', params), headers });
      assert.deepEqual([status, error?.code], [400, -32602]);
    }
  });
});
