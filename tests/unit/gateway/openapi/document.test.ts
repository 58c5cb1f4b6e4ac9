/** C9.2: the document passes a public linter, and says what the pages say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import * as v from 'valibot';
import { renderDocs } from '../../../../gateway/docs/page.ts';
import { buildDocument } from '../../../../gateway/openapi.ts';
import { ROUTES } from '../../../../gateway/routes.ts';
import { CONTRACT_EVENTS, EXTENSION_EVENTS, TEST_EVENT } from '../../../../shared/events.ts';
import { assertDocumentedEvent } from '../../../support/conformance.ts';

const TEXT = buildDocument(ROUTES, 'https://api.recado.test', 'X-Acme');
const Parameter = v.object({
  name: v.string(),
  in: v.string(),
  description: v.optional(v.string(), ''),
});
const Operation = v.object({
  operationId: v.pipe(v.string(), v.regex(/^[a-z]\w+$/i)),
  summary: v.string(),
  description: v.optional(v.string(), ''),
  parameters: v.array(v.union([Parameter, v.object({ $ref: v.string() })])),
});
const Items = v.record(v.string(), v.record(v.string(), Operation));
const DOCUMENT = v.parse(v.object({ paths: Items, webhooks: Items }), JSON.parse(TEXT));

function operationsOf(items: v.InferOutput<typeof Items>) {
  return Object.values(items).flatMap((methods) => Object.values(methods));
}

test('the recommended rules find nothing, not even a warning', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: TEXT, config, absoluteRef: 'openapi.json' });
  const told = problems.map(({ ruleId, message, location }) => [
    ruleId,
    message,
    location[0]?.pointer,
  ]);
  assert.deepEqual(told, []);
});

test('the linter would tell: it finds a document without a license', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const source = TEXT.replace('"license"', '"x-license"');
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  assert.deepEqual(
    problems.map(({ ruleId }) => ruleId),
    ['info-license'],
  );
});

test('every operation and every parameter is described', () => {
  for (const each of [...operationsOf(DOCUMENT.paths), ...operationsOf(DOCUMENT.webhooks)]) {
    assert.ok(each.summary.length > 4 && each.description.length > 4, each.operationId);
    for (const parameter of each.parameters) {
      if ('$ref' in parameter) continue;
      assert.ok(parameter.description.length > 4, `${each.operationId} ${parameter.name}`);
    }
  }
});

test('section 6: webhooks are the nine events, the extensions and the test', () => {
  const names = [...CONTRACT_EVENTS, ...EXTENSION_EVENTS, TEST_EVENT];
  assert.deepEqual(Object.keys(DOCUMENT.webhooks), names);
  for (const { parameters } of operationsOf(DOCUMENT.webhooks)) {
    assert.deepEqual(
      parameters.map((each) => ('name' in each ? each.name : '')),
      [
        ...['X-Acme-Event', 'X-Acme-Delivery', 'X-Acme-Signature'],
        ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      ],
    );
  }
});

test('no two operations share an operationId, webhooks included', () => {
  const all = [...operationsOf(DOCUMENT.paths), ...operationsOf(DOCUMENT.webhooks)];
  const ids = all.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
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
  const all = [...operationsOf(DOCUMENT.paths), ...operationsOf(DOCUMENT.webhooks)];
  for (const { operationId } of all) assert.ok(page.includes(`id="${operationId}"`), operationId);
  for (const name of ['Pipeline', 'Deal', 'Task', 'Flow']) {
    assert.ok(page.includes(`id="${name}"`), name);
  }
  assert.ok(!page.includes('<API_KEY>'));
  assert.ok(page.includes('Limite de chamadas excedido.'), 'referred answers are told');
});
