/** D262: the document with which the page to try begins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { triableOf } from '../../../../gateway/docs/triable.ts';
import { buildDocument } from '../../../../gateway/openapi/document.ts';
import { ROUTES } from '../../../../gateway/routes.ts';

const Parameter = v.looseObject({ $ref: v.optional(v.string()) });
const Operation = v.looseObject({
  operationId: v.string(),
  tags: v.array(v.string()),
  security: v.array(v.record(v.string(), v.unknown())),
  parameters: v.array(Parameter),
  responses: v.record(v.string(), v.unknown()),
});
const Triable = v.looseObject({
  openapi: v.literal('3.1.0'),
  paths: v.record(v.string(), v.record(v.string(), Operation)),
  tags: v.array(v.object({ name: v.string(), description: v.string() })),
  components: v.looseObject({
    parameters: v.record(v.string(), v.looseObject({})),
    securitySchemes: v.record(v.string(), v.unknown()),
  }),
});
const TEXT = triableOf(buildDocument(ROUTES, 'https://api.recado.test'));
const TRIABLE = v.parse(Triable, JSON.parse(TEXT));
const OPERATIONS = Object.values(TRIABLE.paths).flatMap((methods) => Object.values(methods));

test('every operation of a caller is there, and none of a network', () => {
  const wanted = ROUTES.filter(({ entrance }) => entrance === 'api' || entrance === 'open');
  const idsOf = (all: readonly { readonly operationId: string }[]) =>
    all.map(({ operationId }) => operationId).sort();
  assert.deepEqual(idsOf(OPERATIONS), idsOf(wanted));
  assert.equal('webhooks' in TRIABLE, false);
});

test('a key is asked for once, and where the route needs one', () => {
  assert.deepEqual(Object.keys(TRIABLE.components.securitySchemes), ['bearer']);
  for (const { operationId, security } of OPERATIONS) {
    const isApi = ROUTES.find((route) => route.operationId === operationId)?.entrance === 'api';
    assert.deepEqual(security, isApi ? [{ bearer: [] }] : [], operationId);
  }
});

test('no parameter is filled in: an example would be sent as it stands', () => {
  const shared = Object.values(TRIABLE.components.parameters);
  for (const parameter of [...OPERATIONS.flatMap((each) => each.parameters), ...shared]) {
    assert.equal('example' in parameter, false, JSON.stringify(parameter));
  }
});

test('the tags are those that are used', () => {
  const used = new Set(OPERATIONS.flatMap(({ tags }) => tags));
  assert.deepEqual(new Set(TRIABLE.tags.map(({ name }) => name)), used);
});
