/** Requests at the surface of the API: names, methods, headers, and revoked keys. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { ROUTES } from '../../../gateway/routes.ts';
import { UpsertContactAnswer } from '../../../shared/api/contact.ts';
import { freshPhone, issuePaths } from '../../support/api.ts';
import { startGateway } from '../../support/gateway/gateway-fixture.ts';
import { useOrganizations, useStack, useUntil } from '../../support/stack-hooks.ts';
import { POSITIONS } from './positions.ts';
import { wantedAt } from './requests.ts';
import { createResourcesFixture, optionsOf } from './resources-fixture.ts';
import { storedBy } from './traces.ts';

const MARK = 'mark-of-a-stranger-0123456789';
const OPERATORS = [{ $ne: null }, { $gt: '' }, { $where: '1' }, ['x'], 7, true];

const stack = useStack();
const { a } = useOrganizations(stack, () => ({ a: optionsOf(stack) }));
const resources = useUntil(() => createResourcesFixture(stack, a, 'main'));

interface Raw {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Any method, on a connection of its own. */
async function raw({ method, path, headers = {} }: Raw) {
  const asked = request(`${stack.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${a.key}`, ...headers },
    agent: false,
  }).end();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  assert.ok(response);
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

describe('ids are texts', () => {
  for (const position of POSITIONS.filter(({ at }) => at?.place === 'body')) {
    const { operation, at } = position;
    test(`${operation} takes no operator as ${at?.name}`, async () => {
      const route = ROUTES.find(({ operationId }) => operationId === operation);
      const wanted = wantedAt(position, resources, resources);
      const path = (route?.path ?? '').replace(
        /\{(\w+)\}/g,
        (_, name) => wanted.path?.[name] ?? '',
      );
      for (const value of OPERATORS) {
        const body = { ...wanted.body, [at?.name ?? '']: value };
        const answer = await stack.request('POST', path, { key: a.key, body });
        assert.ok(issuePaths(answer).includes(at?.name ?? ''), JSON.stringify(value));
      }
    });
  }

  for (const { operation, at } of POSITIONS.filter(({ at }) => at?.place === 'query')) {
    const name = at?.name ?? '';
    test(`${operation} takes ${name} once, and nothing like ${name}[$ne]`, async () => {
      const path = ROUTES.find(({ operationId }) => operationId === operation)?.path;
      const twice = await stack.request('GET', `${path}?${name}=a&${name}=b`, { key: a.key });
      assert.deepEqual(issuePaths(twice), [name]);
      // These name one entity, which must exist.
      if (name === 'conversationId' || operation === 'listTemplates') return;
      const all = `?${name}=nobody&`;
      const { json } = await stack.request('GET', `${path}${all}${name}[$ne]=x`, { key: a.key });
      assert.deepEqual(v.parse(v.object({ data: v.array(v.unknown()) }), json).data, []);
    });
  }
});

describe('what a caller may not set', () => {
  test('no property beside the contract’s is taken or stored', async () => {
    const extra = {
      id: MARK,
      orgId: MARK,
      createdAt: MARK,
      source: MARK,
      closedAt: MARK,
      note: MARK,
    };
    const { contactId } = resources;
    const bodies = [
      ['contacts', { phone: freshPhone(), optInAt: MARK }],
      ['deals', { contactId, title: 'Plano', pipelineId: MARK, lostReason: MARK }],
      ['tasks', { title: 'Ligar', done: true, doneAt: MARK }],
      ['messages', { channelId: a.main, phone: freshPhone(), text: 'oi', author: MARK }],
    ] as const;
    for (const [path, body] of bodies) {
      const call = { key: a.key, body: { ...extra, ...body } };
      const answer = await stack.request('POST', `/api/v1/${path}`, call);
      assert.equal(answer.status, 201, answer.text);
      assert.ok(!answer.text.includes(MARK), path);
      if (path === 'tasks') assert.match(answer.text, /"done":false/);
    }
    const marked = (await storedBy(stack)).filter((each) => each.text.includes(MARK));
    assert.deepEqual(marked, []);
  });

  test('names of a prototype are fields like any other, and nobody else gets them', async () => {
    const fields = '{"__proto__":"a","constructor":"b","toString":"c"}';
    const body = `{"phone":"${freshPhone()}","fields":${fields}}`;
    const odd = await stack.request('POST', '/api/v1/contacts', { key: a.key, body });
    assert.ok(odd.status === 201 || odd.status === 422, odd.text);
    const call = { key: a.key, body: { phone: freshPhone() } };
    const plain = await stack.request('POST', '/api/v1/contacts', call);
    assert.deepEqual(v.parse(UpsertContactAnswer, plain.json).data.fields, {});
  });
});

describe('methods and headers', () => {
  test('OPTIONS, TRACE and what else no path has are refused, without a CORS header', async () => {
    for (const method of ['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      for (const path of ['/api/v1/me', '/api/v1/messages', '/openapi.json', '/healthz']) {
        const headers = { origin: 'https://evil.example', 'x-echo': MARK };
        const answer = await raw({ method, path, headers });
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.ok(!answer.text.includes(MARK), 'nothing is echoed');
        const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-'));
        assert.deepEqual(cors, []);
      }
    }
  });

  test('no answer tells what the service is made of', async () => {
    for (const path of ['/api/v1/me', '/nothing', '/healthz', '/api/v1/contacts?page=0']) {
      const { headers, text: body } = await raw({ method: 'GET', path });
      const names = Object.keys(headers);
      const banners = names.filter((name) => /^(server|via|x-powered-by|uwebsockets)$/.test(name));
      assert.deepEqual(banners, [], path);
      assert.ok(!/uwebsockets|mongo|nats|node_modules/i.test(body), path);
    }
  });

  test('no address and no host of a header is believed', async () => {
    const headers = {
      host: 'evil.example',
      forwarded: 'for=10.0.0.1;host=evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-original-url': '/healthz',
    };
    for (const path of ['/openapi.json', '/docs', `/api/webhooks/channel/${a.main}`]) {
      const answer = await raw({ method: 'GET', path, headers });
      assert.equal(answer.status, 200);
      assert.ok(!JSON.stringify(answer).includes('evil.example'), path);
    }
  });

  test('a forged X-Forwarded-For gives nobody the tokens of another address', async () => {
    await using gateway = await startGateway();
    const statuses = new Set<number>();
    for (let call = 0; call < 150; call++) {
      const headers = { 'x-forwarded-for': `10.0.0.${call}`, 'x-real-ip': `10.0.1.${call}` };
      const key = `rcd_loja_guessed-key-${call}-0123456789`;
      statuses.add((await gateway.send('/api/v1/me', { key, headers })).status);
    }
    assert.deepEqual([...statuses].sort(), [401, 429]);
  });
});
