/**
 * Scope × access × operation, generated from the table of routes, on the real stack (D446): a key
 * calls what its access allows, over HTTP and as a tool, and is refused the rest with the sentence.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import type { ApiRoute } from '../../../gateway/route.ts';
import { ROUTES } from '../../../gateway/routes.ts';
import { ACCESSES, SCOPES } from '../../../shared/vocabulary.ts';
import { type Answer, assertRefused } from '../../support/api.ts';
import { type Called, connectMcp } from '../../support/mcp.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { argumentsOf, wantedAt } from './requests.ts';
import { createResourcesFixture, optionsOf, type ResourcesFixture } from './resources-fixture.ts';
import { VERDICTS } from './verdicts.ts';

const API_ROUTES = ROUTES.filter((route): route is ApiRoute => route.entrance === 'api');
const TOOLS = API_ROUTES.filter(({ isTool }) => isTool !== false);
const ENOUGH = /^Esta chamada precisa de uma chave com acesso /;

let resources: ResourcesFixture;
let asked = 0;

const stack = useStack();
const { a } = useOrganizations(stack, () => ({ a: optionsOf(stack) }));

interface Key {
  readonly scope: (typeof SCOPES)[number];
  readonly access: (typeof ACCESSES)[number];
  readonly token: string;
}

const KEYS: readonly Key[] = SCOPES.flatMap((scope) =>
  ACCESSES.map((access) => ({ scope, access, token: `${scope}-${access}-token-0123456789` })),
);

before(async () => {
  const keys = KEYS.map(({ scope, access, token }) => ({
    ...{ ref: `${scope}-${access}`, name: `${scope} ${access}`, scope, access, token },
    ...(scope === 'channel' ? { channel: 'main' } : {}),
  }));
  await stack.apply({ orgs: [{ ref: a.ref, keys }] });
  resources = await createResourcesFixture(stack, a, 'main');
});

function mayCall({ access }: Key, route: ApiRoute): boolean {
  return ACCESSES.indexOf(access) >= ACCESSES.indexOf(route.access);
}

/** The good request of an operation. */
function wantedOf({ operationId: operation }: ApiRoute) {
  return wantedAt({ operation, at: null }, resources, resources);
}

function call(route: ApiRoute, { token: key }: Key): Promise<Answer> {
  const { path = {}, query, body: parsed, bytes, headers } = wantedOf(route);
  const place = route.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  const body = bytes ?? parsed;
  const more = { ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) };
  return stack.request(route.method, `${place}${search}`, { key, ...more });
}

async function callTool(route: ApiRoute, { token }: Key): Promise<Called> {
  await using mcp = await connectMcp(stack.baseUrl, token);
  return await mcp.call(route.operationId, argumentsOf(wantedOf(route)));
}

const Refusal = v.object({ error: v.pipe(v.string(), v.regex(ENOUGH)) });

describe('every key at every operation', () => {
  for (const route of API_ROUTES) {
    test(`${route.operationId} needs ${route.access}`, async () => {
      const verdict = VERDICTS[route.operationId]?.own;
      assert.equal(typeof verdict, 'number');
      for (const key of KEYS) {
        const answer = await call(route, key);
        asked += 1;
        if (mayCall(key, route)) assert.equal(answer.status, verdict, answer.text);
        else {
          assertRefused(answer, 403);
          v.parse(Refusal, answer.json);
        }
        if (!TOOLS.includes(route)) continue;
        const called = await callTool(route, key);
        asked += 1;
        assert.equal(called.status, mayCall(key, route) ? verdict : 403);
        if (!mayCall(key, route)) {
          assert.equal(called.isError, true);
          v.parse(Refusal, called.body);
        }
      }
    });
  }

  test('every cell was asked', (context) => {
    context.diagnostic(`${asked} calls`);
    assert.equal(asked, KEYS.length * (API_ROUTES.length + TOOLS.length));
  });

  test('the tools of a key are those that it may call', async () => {
    for (const key of KEYS) {
      await using mcp = await connectMcp(stack.baseUrl, key.token);
      const { tools } = await mcp.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS.filter((route) => mayCall(key, route)).map(({ operationId }) => operationId),
      );
    }
  });
});
