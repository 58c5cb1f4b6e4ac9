/**
 * Caller × operation × every place of an id, generated from the table of routes, on the real stack
 * (C4, C5, C7; I9). The tools of `/mcp` have the same cells (D258). A route or an id without its
 * cell fails here.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { type ApiRoute, apiRoute, type Route } from '../../../gateway/route.ts';
import { ROUTES } from '../../../gateway/routes.ts';
import { requestObject } from '../../../shared/api/fields.ts';
import { type Answer, assertRefused } from '../../support/api.ts';
import { calledOf, rpc } from '../../support/mcp.ts';
import type { Organization } from '../../support/organization.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { type Caller, type CallersFixture, callersOf } from './callers.ts';
import { nameOf, POSITIONS, type Position, positionsOf } from './positions.ts';
import { ASKED, argumentsOf, type Wanted, wantedAt } from './requests.ts';
import { createResourcesFixture, optionsOf } from './resources-fixture.ts';
import { requestAsStranger } from './stranger.ts';
import { VERDICTS, type Verdict } from './verdicts.ts';

const CALLERS = 8;
const GOOD_KEYS = 4;

let fixture: CallersFixture;
let asked = 0;
let askedByTool = 0;

const stack = useStack();
const { a, b } = useOrganizations(stack, () => {
  const options = optionsOf(stack);
  return { a: options, b: options };
});
before(async () => {
  const resources = [
    createResourcesFixture(stack, a, 'main'),
    createResourcesFixture(stack, a, 'shop'),
    createResourcesFixture(stack, b, 'main'),
  ] as const;
  const [main, shop, ofB] = await Promise.all(resources);
  fixture = { a, b, main, shop, ofB, revokedKey: await revokedKeyOf(a) };
});

/** A key that worked here, and has gone. */
async function revokedKeyOf({ ref }: Organization): Promise<string> {
  const token = 'given-token-that-is-revoked-0123456789';
  const old = { ref: 'old', name: 'Antiga', scope: 'account', token };
  await stack.apply({ orgs: [{ ref, keys: [old] }] });
  const me = () => stack.request('GET', '/api/v1/me', { key: token });
  assert.equal((await me()).status, 200);
  await stack.apply({ orgs: [{ ref, keys: [{ ref: 'old', remove: true }] }] });
  await waitUntil('the key is revoked', async () => (await me()).status === 401);
  return token;
}

function routeOf({ operation }: Position): Route {
  const route = ROUTES.find(({ operationId }) => operationId === operation);
  assert.ok(route, operation);
  return route;
}

function call(route: Route, wanted: Wanted, { headers, relation }: Caller): Promise<Answer> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => wanted.path?.[name] ?? '');
  const query = new URLSearchParams(wanted.query).toString();
  const body = wanted.bytes ?? wanted.body;
  const target = query === '' ? path : `${path}?${query}`;
  const request = relation === null ? requestAsStranger(stack.baseUrl) : stack.request;
  const all = { ...headers, ...wanted.headers };
  return request(route.method, target, { headers: all, ...(body === undefined ? {} : { body }) });
}

/** The same by the tool of `/mcp` that the row is. */
async function callTool(route: ApiRoute, wanted: Wanted, { headers }: Caller): Promise<Answer> {
  const body = rpc('tools/call', { name: route.operationId, arguments: argumentsOf(wanted) });
  const response = await fetch(`${stack.baseUrl}/mcp`, { method: 'POST', headers, body });
  const json: unknown = await response.json();
  const called = calledOf(v.parse(v.object({ result: v.unknown() }), json).result);
  const { status, body: answered } = called;
  return { status, headers: response.headers, json: answered, text: JSON.stringify(answered) };
}

const Listed = v.object({ data: v.array(v.unknown()), total: v.optional(v.number()) });

function assertVerdict(answer: Answer, verdict: Verdict): void {
  if (verdict === 'empty') {
    assert.equal(answer.status, 200, answer.text);
    const { data, total } = v.parse(Listed, answer.json);
    assert.deepEqual([data, total], [[], 0]);
  } else if (verdict >= 400) assertRefused(answer, verdict);
  else assert.equal(answer.status, verdict, answer.text);
}

/** No entity of another caller, and `total` counts only what is shown. */
function assertOnlyOwn(answer: Answer, caller: Caller, wanted: Wanted): void {
  const named = JSON.stringify(wanted);
  const seen = caller.hidden.filter((id) => answer.text.includes(id) && !named.includes(id));
  assert.deepEqual(seen, [], 'an id of somebody else');
  const list = v.safeParse(v.required(Listed), answer.json);
  if (list.success) assert.equal(list.output.total, list.output.data.length, 'total');
}

async function cell(position: Position, caller: Caller): Promise<void> {
  const route = routeOf(position);
  const wanted = wantedAt(position, caller.own, fixture.main);
  assertCell(await call(route, wanted, caller), { position, caller, wanted });
  asked += 1;
  // Without a good key a call is refused before any tool.
  if (!isTool(route) || caller.relation === null) return;
  const again = wantedAt(position, caller.own, fixture.main);
  assertCell(await callTool(route, again, caller), { position, caller, wanted: again });
  askedByTool += 1;
}

function isTool(route: Route): route is ApiRoute {
  return route.entrance === 'api' && route.isTool !== false;
}

interface Cell {
  readonly position: Position;
  readonly caller: Caller;
  readonly wanted: Wanted;
}

function assertCell(answer: Answer, { position, caller, wanted }: Cell): void {
  const verdicts = VERDICTS[nameOf(position)];
  assert.ok(verdicts, 'a verdict');
  const stranger = caller.relation === null;
  const verdict = verdicts[caller.relation ?? 'own'];
  assertVerdict(answer, stranger && routeOf(position).entrance === 'api' ? 401 : verdict);
  assertOnlyOwn(answer, caller, wanted);
  if (position.at?.name !== 'conversationId' || position.operation !== 'createDeal') return;
  const { data } = stranger ? { data: null } : v.parse(Kept, answer.json);
  const kept = caller.relation === 'own' ? fixture.main.conversationId : null;
  assert.equal(data?.conversationId ?? null, kept, 'only the own contact’s conversation is kept');
}

const Kept = v.object({ data: v.object({ conversationId: v.nullable(v.string()) }) });

describe('the table of the matrix', () => {
  test('has a verdict and a request for every route and every id, and none beside', () => {
    assert.deepEqual(Object.keys(VERDICTS).sort(), POSITIONS.map(nameOf).sort());
    assert.deepEqual([...ASKED].sort(), ROUTES.map(({ operationId }) => operationId).sort());
  });

  test('notices a route and an id that nobody has thought of', () => {
    const query = requestObject({ folderId: v.optional(v.string()), note: v.optional(v.string()) });
    const described = { operationId: 'readNew', summary: '', tag: '', answers: {}, query };
    const plan = () => ({ to: 'query', resource: 'organizations', payload: {} }) as const;
    const row = apiRoute({ ...described, method: 'GET', path: '/api/v1/new/{id}', plan });
    const names = positionsOf([...ROUTES, row]).map(nameOf);
    const unknown = names.filter((name) => !(name in VERDICTS));
    assert.deepEqual(unknown, ['readNew', 'readNew path.id', 'readNew query.folderId']);
  });
});

describe('every caller at every position', () => {
  for (const position of POSITIONS) {
    test(nameOf(position), async () => {
      const callers = callersOf(fixture);
      assert.equal(callers.length, CALLERS);
      for (const caller of callers) {
        await cell(position, caller).catch((cause: unknown) => {
          throw new Error(`${caller.name}: ${cause}`, { cause });
        });
      }
    });
  }

  test('every cell was asked', (context) => {
    context.diagnostic(`${asked} cells of ${POSITIONS.length} positions and ${CALLERS} callers`);
    assert.equal(asked, POSITIONS.length * CALLERS);
    const names = new Set(ROUTES.flatMap((route) => (isTool(route) ? [route.operationId] : [])));
    const byTool = POSITIONS.filter(({ operation }) => names.has(operation));
    assert.equal(askedByTool, byTool.length * GOOD_KEYS);
  });
});
