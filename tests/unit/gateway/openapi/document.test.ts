/** C9.2: the description is OpenAPI 3.1, version 1.0.0, and true to the table. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import * as v from 'valibot';
import { renderDocs } from '../../../../gateway/docs/page.ts';
import { buildDocument } from '../../../../gateway/openapi/document.ts';
import { ROUTES } from '../../../../gateway/routes.ts';
import { CONTRACT_EVENTS, EXTENSION_EVENTS, TEST_EVENT } from '../../../../shared/events.ts';
import { assertDocumentedEvent } from '../../../support/conformance.ts';
import { startGateway } from '../../../support/gateway/gateway-fixture.ts';

const Parameter = v.object({
  name: v.string(),
  in: v.string(),
  description: v.optional(v.string(), ''),
});
const Operation = v.looseObject({
  operationId: v.pipe(v.string(), v.regex(/^[a-z]\w+$/i)),
  summary: v.pipe(v.string(), v.minLength(5)),
  description: v.optional(v.string(), ''),
  parameters: v.array(v.union([Parameter, v.object({ $ref: v.string() })])),
  responses: v.record(v.string(), v.unknown()),
});
const Secured = v.object({ security: v.array(v.record(v.string(), v.array(v.string()))) });
const Items = v.record(v.string(), v.record(v.string(), Operation));
const OpenApi = v.looseObject({
  openapi: v.literal('3.1.0'),
  info: v.looseObject({ version: v.literal('1.0.0') }),
  servers: v.tuple([v.object({ url: v.literal('https://api.recado.test') })]),
  paths: v.record(v.string(), v.record(v.string(), v.intersect([Operation, Secured]))),
  webhooks: Items,
  components: v.record(v.string(), v.record(v.string(), v.unknown())),
});
const TEXT = buildDocument(ROUTES, 'https://api.recado.test', 'X-Acme');
const DOCUMENT = v.parse(OpenApi, JSON.parse(TEXT));
const ALL = [...operationsOf(DOCUMENT.paths), ...operationsOf(DOCUMENT.webhooks)];

function operationsOf(items: v.InferOutput<typeof Items>) {
  return Object.values(items).flatMap((methods) => Object.values(methods));
}

test('section 9: /openapi.json is served without a key', async () => {
  await using gateway = await startGateway();
  const response = await gateway.send('/openapi.json', { key: null });
  assert.equal(response.status, 200);
  v.parse(v.looseObject({ openapi: v.literal('3.1.0') }), await response.json());
});

test('every row is in the document once, and no two operations share an operationId', () => {
  const rows = operationsOf(DOCUMENT.paths).map(({ operationId }) => operationId);
  assert.deepEqual(rows.sort(), ROUTES.map(({ operationId }) => operationId).sort());
  assert.equal(new Set(ALL.map(({ operationId }) => operationId)).size, ALL.length, 'webhooks too');
  for (const route of ROUTES) {
    const operation = DOCUMENT.paths[route.path]?.[route.method.toLowerCase()];
    assert.equal(operation?.security.length, route.entrance === 'api' ? 2 : 0, route.path);
  }
});

test('every reference leads somewhere, and every component is referred to', () => {
  const references = new Set(
    [...TEXT.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)].map(
      ([, kind, name]) => `${kind}/${name}`,
    ),
  );
  const { securitySchemes: _, ...kinds } = DOCUMENT.components;
  const components = Object.entries(kinds).flatMap(([kind, entries]) =>
    Object.keys(entries).map((name) => `${kind}/${name}`),
  );
  assert.deepEqual([...references].sort(), components.sort());
});

test('every example is what its schema says', () => {
  for (const route of ROUTES) {
    for (const [status, row] of Object.entries(route.answers)) {
      if (row.example === undefined) continue;
      const { success } = v.safeParse(row.schema, row.example);
      assert.ok(success, `${route.operationId} ${status}`);
    }
  }
});

test('section 4: the errors of each endpoint are those of the contract', () => {
  const statuses = (path: string, method: string) =>
    Object.keys(DOCUMENT.paths[path]?.[method]?.responses ?? {}).map(Number);
  for (const [path, method, expected] of [
    ['me', 'get', [200, 401, 422, 429, 500]],
    ['conversations', 'get', [200, 401, 403, 422, 429, 500]],
    ['messages', 'post', [201, 400, 401, 403, 404, 409, 413, 422, 429, 500]],
    // 403 is of a key with less access; 409 of a call whose Idempotency-Key is still under way.
    ['contacts', 'post', [200, 201, 400, 401, 403, 409, 413, 422, 429, 500]],
    ['events', 'get', [200, 401, 409, 422, 429, 500]],
    ['events/ack', 'post', [200, 400, 401, 404, 409, 413, 422, 429, 500]],
  ] as const) {
    assert.deepEqual(statuses(`/api/v1/${path}`, method), expected, path);
  }
});

test('a row that not every key may call says which may', () => {
  const texts = ROUTES.map(({ operationId, path, method }) => {
    const operation = DOCUMENT.paths[path]?.[method.toLowerCase()];
    return [
      operationId,
      /chave com acesso (.*)\./.exec(operation?.description ?? '')?.[1],
    ] as const;
  });
  const told = new Map(texts);
  for (const route of ROUTES) {
    const least = route.entrance === 'api' ? route.access : 'read';
    const expected = { read: undefined, send: '`send` ou `full`', full: '`full`' }[least];
    assert.equal(told.get(route.operationId), expected, route.operationId);
  }
});

test('an event stream is described as one, with its headers', () => {
  const operation = DOCUMENT.paths['/api/v1/events']?.get;
  assert.ok(operation);
  const Stream = v.object({
    headers: v.looseObject({ 'X-Event-Header-Prefix': v.unknown() }),
    content: v.strictObject({
      'text/event-stream': v.object({ example: v.pipe(v.string(), v.startsWith('retry: ')) }),
    }),
  });
  assert.ok(v.is(Stream, operation.responses['200']));
  const names = operation.parameters.flatMap((each) => ('name' in each ? each.name : []));
  assert.deepEqual(names, ['name', 'events', 'Last-Event-ID']);
});

async function problemsOf(source: string) {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  return problems.map(({ ruleId, message, location }) => {
    return { ruleId, message, at: location[0]?.pointer };
  });
}

test('the recommended rules of a public linter find nothing, not even a warning', async () => {
  assert.deepEqual(await problemsOf(TEXT), []);
  const unlicensed = await problemsOf(TEXT.replace('"license"', '"x-license"'));
  assert.deepEqual(unlicensed.map(({ ruleId }) => ruleId).join(), 'info-license', 'it would tell');
});

test('every operation and every parameter is described', () => {
  for (const each of ALL) {
    assert.ok(each.summary.length > 4 && each.description.length > 4, each.operationId);
    for (const parameter of each.parameters) {
      if ('$ref' in parameter) continue;
      assert.ok(parameter.description.length > 4, `${each.operationId} ${parameter.name}`);
    }
  }
});

test('each description of a field that a row has of its own is in its operation', () => {
  for (const route of ROUTES) {
    if (route.entrance !== 'api') continue;
    const text = JSON.stringify(DOCUMENT.paths[route.path]?.[route.method.toLowerCase()]);
    for (const [field, description] of Object.entries(route.fieldDescriptions ?? {})) {
      assert.ok(text.includes(JSON.stringify(description)), `${route.operationId} ${field}`);
    }
  }
});

test('readiness names every part that it may miss', () => {
  const { description } = ALL.find(({ operationId }) => operationId === 'getReadiness') ?? {};
  for (const part of ['nats', 'mongodb', 'installation', 'actors', 'partitions']) {
    assert.ok(description?.includes(`\`${part}\``), part);
  }
});

test('section 6: webhooks are the nine events, the extensions and the test', () => {
  const names = [...CONTRACT_EVENTS, ...EXTENSION_EVENTS, TEST_EVENT];
  assert.deepEqual(Object.keys(DOCUMENT.webhooks), names);
  for (const { parameters } of operationsOf(DOCUMENT.webhooks)) {
    const headers = parameters.map((each) => ('name' in each ? each.name : ''));
    assert.deepEqual(headers, [
      ...['X-Acme-Event', 'X-Acme-Delivery', 'X-Acme-Signature'],
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    ]);
  }
});

test('every POST with a key takes an Idempotency-Key, and no GET does', () => {
  const KEY = '#/components/parameters/IdempotencyKey';
  for (const route of ROUTES) {
    const operation = DOCUMENT.paths[route.path]?.[route.method.toLowerCase()];
    const has = operation?.parameters.some((each) => '$ref' in each && each.$ref === KEY);
    assert.equal(has, route.entrance === 'api' && route.method === 'POST', route.operationId);
  }
});

test('the samples of the events page are what the document says', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/events.md'), 'utf8');
  const samples = [...page.matchAll(/```json\n(\{"event".*\})\n```/g)].map(([, text = '']) => text);
  assert.ok(samples.length >= 4);
  for (const sample of samples) {
    const body: unknown = JSON.parse(sample);
    const { event } = v.parse(v.object({ event: v.string() }), body);
    assertDocumentedEvent(event, body, {
      'x-service-event': event,
      'x-service-delivery': 'dlv_01',
      'x-service-signature': `sha256=${'0'.repeat(64)}`,
      'webhook-id': 'dlv_01',
      'webhook-timestamp': '1763668800',
      'webhook-signature': 'v1,AAAA v1,BBBB',
    });
  }
});

test('the page shows every operation, event and record, and escapes what it shows', () => {
  const page = renderDocs(TEXT);
  for (const { operationId } of ALL) assert.ok(page.includes(`id="${operationId}"`), operationId);
  for (const name of ['Pipeline', 'Deal', 'Task', 'Flow']) {
    assert.ok(page.includes(`id="${name}"`), name);
  }
  assert.ok(!page.includes('<API_KEY>'));
  assert.ok(page.includes('Limite de chamadas excedido.'), 'referred answers are told');
});
