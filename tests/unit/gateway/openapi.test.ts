/** C9.2: the description is OpenAPI 3.1, version 1.0.0, and true to the table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { buildDocument } from '../../../gateway/openapi.ts';
import { ROUTES } from '../../../gateway/routes.ts';
import { startGateway } from '../../support/gateway/gateway-fixture.ts';

const Operation = v.looseObject({
  operationId: v.string(),
  summary: v.pipe(v.string(), v.minLength(5)),
  security: v.array(v.record(v.string(), v.array(v.string()))),
  responses: v.record(v.string(), v.unknown()),
});
const OpenApi = v.looseObject({
  openapi: v.literal('3.1.0'),
  info: v.looseObject({ version: v.literal('1.0.0') }),
  servers: v.tuple([v.object({ url: v.literal('https://api.example.com') })]),
  paths: v.record(v.string(), v.record(v.string(), Operation)),
  components: v.record(v.string(), v.record(v.string(), v.unknown())),
});
const TEXT = buildDocument(ROUTES, 'https://api.example.com');
const DOCUMENT = v.parse(OpenApi, JSON.parse(TEXT));

test('section 9: /openapi.json is served without a key', async () => {
  await using gateway = await startGateway();
  const response = await gateway.send('/openapi.json', { key: null });
  assert.equal(response.status, 200);
  v.parse(v.looseObject({ openapi: v.literal('3.1.0') }), await response.json());
});

test('every row is in the document once, under an operationId of its own', () => {
  const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
  assert.deepEqual(
    operations.map((operation) => operation.operationId).sort(),
    ROUTES.map((route) => route.operationId).sort(),
  );
  assert.equal(new Set(operations.map((operation) => operation.operationId)).size, ROUTES.length);
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
  assert.deepEqual(statuses('/api/v1/me', 'get'), [200, 401, 422, 429, 500]);
  assert.deepEqual(statuses('/api/v1/conversations', 'get'), [200, 401, 403, 422, 429, 500]);
  assert.deepEqual(
    statuses('/api/v1/messages', 'post'),
    [201, 400, 401, 403, 404, 409, 413, 422, 429, 500],
  );
  // 409 is of a call whose Idempotency-Key is still under way.
  assert.deepEqual(
    statuses('/api/v1/contacts', 'post'),
    [200, 201, 400, 401, 409, 413, 422, 429, 500],
  );
  assert.deepEqual(statuses('/api/v1/events', 'get'), [200, 401, 409, 422, 429, 500]);
  assert.deepEqual(
    statuses('/api/v1/events/ack', 'post'),
    [200, 400, 401, 404, 409, 413, 422, 429, 500],
  );
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
  const names = v.parse(v.array(v.object({ name: v.optional(v.string()) })), operation.parameters);
  assert.deepEqual(
    names.flatMap(({ name }) => name ?? []),
    ['name', 'events', 'Last-Event-ID'],
  );
});
