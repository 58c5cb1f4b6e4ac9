/**
 * A property: for any arguments a tool asks the same of the bus as the request of its row. The
 * status and the body are the same too (D258). A failure prints the seed that repeats it.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import * as v from 'valibot';
import { toolsFor } from '../../../../gateway/mcp/tools.ts';
import { ROUTES } from '../../../../gateway/routes.ts';
import {
  ACCOUNT,
  ACCOUNT_KEY,
  ASLEEP,
  CHANNEL_KEY,
  MAIN,
  SHOP,
  useGateway,
} from '../../../support/gateway/gateway-fixture.ts';
import { calledOf, rpc } from '../../../support/mcp.ts';
import { argumentsOf, httpRequestOf, withoutIdentity } from '../../../support/tool-arguments.ts';

const RUNS = 150;
const PHONE = '+55 11 98888-7777';
const KNOWN = {
  id: ['deal_1', 'task_1', 'flow_1', 'nothing.here', '', 'x'.repeat(300)],
  channelId: [MAIN, SHOP, ASLEEP, 'chn_none'],
  phone: [PHONE, '11 3333-4444', '+1 202 555 0143'],
  conversationId: ['cnv_1', 'no.id'],
  contactId: ['con_1', ''],
  mediaId: ['med_1'],
};
/** Chance rarely makes a send of which every part fits. */
const ACCEPTED = { id: 'flow_1', channelId: MAIN, phone: PHONE, text: 'oi', title: 'Plano' };
const NAMED = { conversationId: 'cnv_1' };
/** A message of the contact. */
const PLACE = JSON.stringify({ conversationId: 'cnv_1', channelId: MAIN, direction: 'in' });

const Tool = v.object({ name: v.string(), inputSchema: v.unknown() });
const Rpc = v.object({ result: v.unknown() });

const gateway = useGateway();
before(async () => {
  const { onQuery } = gateway.bus;
  gateway.bus.onQuery = (queried) =>
    queried.resource === 'message-place' ? { status: 200, body: PLACE } : onQuery(queried);
  // The first call of a key looks it up.
  for (const key of [ACCOUNT_KEY, CHANNEL_KEY]) await gateway.send('/api/v1/me', { key });
});

interface Observed {
  readonly status: number;
  readonly body: unknown;
}

/** The answer of a call, and everything that it asked of the bus. */
async function observed(call: () => Promise<Observed>) {
  const { bus } = gateway;
  const [asks, queries] = [bus.commands().length, bus.queried.length];
  const { status, body } = await call();
  const commands = bus.commands().slice(asks);
  const asked = commands.map(({ address, command }) => ({ address, command }));
  const queried = bus.queried.slice(queries);
  return { status, told: withoutIdentity({ body, asked, queried }) };
}

function byTool(name: string, args: unknown, key: string) {
  return observed(async () => {
    const body = rpc('tools/call', { name, arguments: args });
    const response = await gateway.send('/mcp', { key, body });
    assert.equal(response.status, 200);
    return calledOf(v.parse(Rpc, await response.json()).result);
  });
}

describe('a tool is its row', () => {
  for (const { name, inputSchema } of v.parse(v.array(Tool), toolsFor(ACCOUNT))) {
    const route = ROUTES.find(({ operationId }) => operationId === name) ?? assert.fail(name);
    const asQuery = route.method === 'GET';
    // Claims of idempotent calls are the store's: `tests/service/api/mcp.test.ts` repeats a call.
    const some = argumentsOf(inputSchema, { known: KNOWN, asQuery }).map(
      ({ idempotencyKey: _, ...rest }) => rest,
    );
    const accepted = fc.constant(asQuery ? NAMED : ACCEPTED);
    const given = fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: accepted });

    test(name, async (context) => {
      const seen = new Set<number>();
      const keys = fc.constantFrom(ACCOUNT_KEY, CHANNEL_KEY);
      const property = fc.asyncProperty(given, keys, async (args, key) => {
        fc.pre(!route.path.includes('{') || 'id' in args);
        fc.pre(!('id' in args) || typeof args.id === 'string');
        const request = httpRequestOf(route, args);
        const expected = await observed(async () => {
          const response = await gateway.send(request.path, { ...request, key });
          return { status: response.status, body: await response.json() };
        });
        seen.add(expected.status);
        assert.deepEqual(await byTool(name, args, key), expected);
      });
      await fc.assert(property, { numRuns: RUNS });
      context.diagnostic(`statuses ${[...seen].sort()}`);
      assert.ok(Math.min(...seen) < 300, 'some calls were accepted');
    });
  }
});
