/** Keys, scopes, organizations and the frame of every answer, over the real stack. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { IdentityAnswer } from '../../../shared/api/identity.ts';
import { ACCESSES } from '../../../shared/vocabulary.ts';
import { assertStatus } from '../../support/api/answers.ts';
import { assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
const { a, b } = useOrganizations(stack, { a: {}, b: {} });

const ROUTES = [
  ['GET', '/api/v1/me'],
  ['GET', '/api/v1/channels'],
  ['GET', '/api/v1/contacts'],
  ['POST', '/api/v1/contacts'],
  ['GET', '/api/v1/conversations'],
  ['GET', '/api/v1/messages?conversationId=x'],
  ['POST', '/api/v1/messages'],
] as const;

const KeyList = v.object({
  data: v.array(
    v.object({
      ...{ id: v.string(), access: v.picklist(ACCESSES), assistant: v.boolean() },
      expiresAt: v.nullable(v.string()),
    }),
  ),
});

function send(key: string, body: unknown) {
  return stack.request('POST', '/api/v1/messages', { key, body });
}

describe('keys (contract section 5)', () => {
  test('a key is taken as Authorization: Bearer and as x-api-key, and both at once if equal', async () => {
    const ways = [
      { authorization: `Bearer ${a.key}` },
      { authorization: `bearer ${a.key}` },
      { 'x-api-key': a.key },
      { authorization: `Bearer ${a.key}`, 'x-api-key': a.key },
    ];
    for (const headers of ways) {
      const { status } = await stack.request('GET', '/api/v1/me', { headers });
      assert.equal(status, 200, Object.keys(headers).join());
    }
  });

  test('every endpoint answers 401 without a key', async () => {
    for (const [method, path] of ROUTES) {
      const body = method === 'POST' ? { body: '{' } : {};
      assertRefused(await stack.request(method, path, body), 401);
    }
  });

  test('an unknown, malformed, doubled or ambiguous key is 401', async () => {
    const wrong: Record<string, string>[] = [
      { authorization: `Bearer ${a.key}x` },
      { authorization: `Basic ${a.key}` },
      { authorization: a.key },
      { 'x-api-key': a.key.slice(0, -1) },
      { 'x-api-key': '' },
      { authorization: `Bearer ${a.key}`, 'x-api-key': b.key },
      { authorization: 'Bearer ' },
      { 'x-api-key': 'k'.repeat(201) },
    ];
    for (const headers of wrong) {
      assertRefused(await stack.request('GET', '/api/v1/me', { headers }), 401);
    }
  });

  test('GET /api/v1/me describes an account key, in the order of section 2', async () => {
    const { status, json, text } = await stack.request('GET', '/api/v1/me', { key: a.key });
    assert.equal(status, 200);
    const { data } = json as { data: Record<string, Record<string, unknown>> };
    assert.deepEqual(Object.keys(data), ['org', 'scope', 'channel', 'token']);
    assert.deepEqual(data.org, { id: a.id, name: `Loja ${a.ref}` });
    assert.equal(data.scope, 'account');
    assert.equal(data.channel, null);
    const names = ['id', 'name', 'prefix', 'createdAt', 'lastUsedAt', 'access', 'expiresAt'];
    assert.deepEqual(Object.keys(data.token ?? {}), names);
    assert.deepEqual([data.token?.access, data.token?.expiresAt], ['full', null]);
    assert.equal(data.token?.prefix, a.key.slice(0, 12));
    assert.match(String(data.token?.lastUsedAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(!text.includes(a.key), 'the key itself is not shown');
  });

  test('GET /api/v1/me tells what a key may do, until when, and that it is an assistant', async () => {
    const expiresAt = '2099-01-31T23:59:59.000Z';
    const options = ['--access', 'send', '--expires-at', '2099-01-31T20:59:59-03:00'];
    const place = ['--org', a.ref, '--name', 'Robô', '--scope', 'account', '--assistant'];
    const made = await stack.ask('keys', 'create', ...place, ...options);
    const { id, token } = v.parse(v.object({ id: v.string(), token: v.string() }), made);
    const { json } = await stack.request('GET', '/api/v1/me', { key: token });
    const { data } = v.parse(IdentityAnswer, json);
    const { access, assistant } = data.token;
    assert.deepEqual([access, data.token.expiresAt, assistant], ['send', expiresAt, true]);
    const listed = v.parse(KeyList, await stack.ask('keys', 'list', '--org', a.ref));
    const row = listed.data.find((each) => each.id === id);
    assert.deepEqual(row, { id, access: 'send', expiresAt, assistant: true });
    const past = ['--expires-at', '2020-01-31T23:59:59Z'];
    const refused = await stack.recado(['keys', 'create', ...place, ...past]);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /expiresAt: must be in the future/);
  });

  test('GET /api/v1/me describes a channel key with its channel', async () => {
    const { json } = await stack.request('GET', '/api/v1/me', { key: a.mainKey });
    const { data } = json as { data: Record<string, unknown> };
    assert.equal(data.scope, 'channel');
    const channel = { id: a.main, label: 'Atendimento', provider: 'cloud', phone: '551140001000' };
    assert.deepEqual(data.channel, channel);
  });
});

describe('scopes (contract section 5)', () => {
  test('GET /api/v1/channels is alphabetical by label, and a channel key sees only its own', async () => {
    const all = await stack.channels(a.key);
    assert.deepEqual(
      all.map(({ id, label, ready, reason }) => ({ id, label, ready, reason })),
      [
        { id: a.main, label: 'Atendimento', ready: true, reason: null },
        { id: a.shop, label: 'Vendas', ready: true, reason: null },
      ],
    );
    const own = await stack.channels(a.shopKey);
    assert.deepEqual(own, all.slice(1));
    const { json } = await stack.request('GET', '/api/v1/channels', { key: a.key });
    const { data } = json as { data: object[] };
    const order = 'id,label,provider,phone,enabled,ready,reason,createdAt,backlog';
    assert.equal(Object.keys(data[0] ?? {}).join(), order);
    assert.deepEqual(Object.keys(json as object), ['data']);
  });

  test('a channel key sends without channelId, and asking for another channel is 403, not 404', async () => {
    const sent = await stack.send(a.mainKey, { phone: freshPhone(), text: 'oi' });
    assert.equal(sent.channelId, a.main);
    for (const channelId of [a.shop, b.main, 'chn_unknown']) {
      const answer = await send(a.mainKey, { channelId, phone: freshPhone(), text: 'oi' });
      assertRefused(answer, 403);
      const path = `/api/v1/conversations?channelId=${channelId}`;
      assertRefused(await stack.request('GET', path, { key: a.mainKey }), 403);
    }
  });

  test("a channel key reads no other channel's conversation: 403", async () => {
    const sent = await stack.send(a.mainKey, { phone: freshPhone(), text: 'oi' });
    const path = `/api/v1/messages?conversationId=${sent.conversationId}`;
    assertRefused(await stack.request('GET', path, { key: a.shopKey }), 403);
    const { conversationId } = sent;
    assertRefused(await send(a.shopKey, { conversationId, text: 'oi' }), 403);
  });

  test('conversations of a channel key are only its own channel’s, contacts are everybody’s', async () => {
    const phone = freshPhone();
    await stack.send(a.mainKey, { phone, text: 'oi' });
    const own = await stack.send(a.shopKey, { phone, text: 'oi' });
    const { data } = await stack.conversations(a.shopKey);
    assert.ok(data.some(({ id }) => id === own.conversationId));
    assert.ok(data.every(({ channel }) => channel.id === a.shop));
    assert.equal((await stack.contact(a.shopKey, phone))?.phone, phone);
  });

  test('an account key has to name the channel: 422; one that does not exist is 404', async () => {
    const without = await send(a.key, { phone: freshPhone(), text: 'oi' });
    assert.deepEqual(issuePaths(without), ['channelId']);
    const unknown = await send(a.key, { channelId: 'chn_no', phone: freshPhone(), text: 'oi' });
    assertRefused(unknown, 404);
  });
});

describe('organizations (invariant 9)', () => {
  test("another organization's channel and conversation are 404", async () => {
    const phone = freshPhone();
    const { conversationId } = await stack.send(a.key, { channelId: a.main, phone, text: 'a' });
    const path = `/api/v1/messages?conversationId=${conversationId}`;
    assertRefused(await stack.request('GET', path, { key: b.key }), 404);
    assertRefused(await send(b.key, { channelId: a.main, phone, text: 'b' }), 404);
    assertRefused(await send(b.key, { channelId: b.main, conversationId, text: 'b' }), 404);
    assertRefused(await send(b.mainKey, { conversationId, text: 'b' }), 404);
    assert.equal((await stack.history(a.key, conversationId)).length, 1);
  });

  test("lists show nothing of another's, and filters by another's ids are empty", async () => {
    const phone = freshPhone();
    await stack.send(a.key, { channelId: a.main, phone, text: 'a' });
    const contact = await stack.contact(a.key, phone);
    assert.ok(contact);
    assert.equal(await stack.contact(b.key, phone), null);
    for (const query of [`?contactId=${contact.id}`, `?channelId=${a.main}`]) {
      const { data, total } = await stack.conversations(b.key, query);
      assert.deepEqual([data, total], [[], 0]);
    }
  });

  test('the same phone is a contact of each, with its own fields', async () => {
    const phone = freshPhone();
    for (const { key, ref } of [a, b]) {
      const body = { phone, name: ref, fields: { de: ref } };
      await stack.request('POST', '/api/v1/contacts', { key, body });
    }
    const [ofA, ofB] = [await stack.contact(a.key, phone), await stack.contact(b.key, phone)];
    assert.deepEqual([ofA?.name, ofB?.name], [a.ref, b.ref]);
    assert.deepEqual([ofA?.fields, ofB?.fields], [{ de: a.ref }, { de: b.ref }]);
    assert.notEqual(ofA?.id, ofB?.id);
  });
});

describe('every answer (contract sections 1 and 7)', () => {
  test('a body that is not JSON is 400, whatever it is', async () => {
    const bodies = ['', '{', 'phone=1', '{"a":1}x', new Uint8Array([0x7b, 0xff, 0x7d]), "{'a':1}"];
    for (const body of bodies) {
      const call = { key: a.key, body, headers: { 'content-type': 'text/plain' } };
      assertRefused(await stack.request('POST', '/api/v1/messages', call), 400);
    }
  });

  test('JSON that is not an object is 422 at the whole body', async () => {
    for (const body of ['[]', '"a"', '1', 'null', 'true']) {
      const answer = await stack.request('POST', '/api/v1/contacts', { key: a.key, body });
      assert.deepEqual(issuePaths(answer), ['']);
    }
  });

  test('a body of more than 1 MiB is 413, one just below it is judged', async () => {
    const large = { phone: freshPhone(), note: 'x'.repeat(1024 * 1024) };
    const call = { key: a.key, body: large };
    assertRefused(await stack.request('POST', '/api/v1/contacts', call), 413);
    const fits = { phone: freshPhone(), note: 'x'.repeat(1024 * 1024 - 100) };
    assertStatus(await stack.request('POST', '/api/v1/contacts', { key: a.key, body: fits }), 201);
  });

  test('a wrong method on a known path is 405 with Allow, an unknown path 404', async () => {
    const wrong = [
      ['DELETE', '/api/v1/messages', 'GET, HEAD, POST'],
      ['PUT', '/api/v1/contacts', 'GET, HEAD, POST'],
      ['POST', '/api/v1/me', 'GET, HEAD'],
    ] as const;
    for (const [method, path, allow] of wrong) {
      const answer = await stack.request(method, path, { key: a.key });
      assertRefused(answer, 405);
      assert.deepEqual(answer.headers.get('allow')?.split(', ').sort(), allow.split(', ').sort());
    }
    for (const path of ['/', '/api/v1', '/api/v1/nothing', '/api/v1/me/', '/API/V1/ME']) {
      assertRefused(await stack.request('GET', path, { key: a.key }), 404);
    }
  });

  test('X-Request-Id is the caller’s if it is sane, else a new one, also on errors', async () => {
    const own = await stack.request('GET', '/api/v1/me', {
      key: a.key,
      headers: { 'x-request-id': 'order-4711' },
    });
    assert.equal(own.headers.get('x-request-id'), 'order-4711');
    const insane = 'x'.repeat(500);
    const seen = new Set<string | null>();
    for (const key of [a.key, 'unknown-key-0123456789-0123456789']) {
      const headers = { 'x-request-id': insane };
      const { headers: answered } = await stack.request('GET', '/api/v1/me', { key, headers });
      seen.add(answered.get('x-request-id'));
    }
    assert.equal(seen.size, 2);
    assert.ok(!seen.has(null) && !seen.has(insane) && !seen.has(''));
  });

  test('no answer carries a CORS header, and preflights are refused', async () => {
    const headers = { origin: 'https://app.example.com' };
    const preflight = { ...headers, 'access-control-request-method': 'POST' };
    const answers = [
      await stack.request('GET', '/api/v1/me', { key: a.key, headers }),
      await stack.request('GET', '/openapi.json', { headers }),
      await stack.request('OPTIONS', '/api/v1/messages', { headers: preflight }),
    ];
    for (const answer of answers) {
      const names = [...answer.headers.keys()];
      assert.deepEqual(
        names.filter((name) => name.startsWith('access-control')),
        [],
      );
    }
    assert.equal(answers[2]?.status, 405);
  });

  test('RateLimit and RateLimit-Policy tell both policies on every answer to a key', async () => {
    for (const path of ['/api/v1/me', '/api/v1/contacts?page=0']) {
      const { headers } = await stack.request('GET', path, { key: b.key });
      const policy = '"key";q=1000000;w=60, "org";q=1000000;w=60';
      assert.equal(headers.get('ratelimit-policy'), policy);
      assert.match(headers.get('ratelimit') ?? '', /^"key";r=\d+;t=\d+, "org";r=\d+;t=\d+$/);
    }
  });
});

describe('without a key (interfaces: Without a key, Health)', () => {
  test('/healthz and /readyz answer 200', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, headers } = await stack.request('GET', path);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    }
  });

  test('/openapi.json is OpenAPI 3.1, version 1.0.0, names every route and resolves its references', async () => {
    const { status, json, text } = await stack.request('GET', '/openapi.json');
    assert.equal(status, 200);
    const document = json as Record<string, Record<string, object>>;
    assert.match(String(document.openapi), /^3\.1\.\d$/);
    assert.equal(document.info?.version, '1.0.0');
    for (const [method, path] of ROUTES) {
      const operations = document.paths?.[path.replace(/\?.*/, '')] ?? {};
      assert.ok(method.toLowerCase() in operations, `${method} ${path}`);
    }
    for (const [, reference = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = reference.split('/').reduce<unknown>((at, name) => {
        return Reflect.get(Object(at), name);
      }, document);
      assert.ok(target, `#/${reference} exists`);
    }
  });
});
