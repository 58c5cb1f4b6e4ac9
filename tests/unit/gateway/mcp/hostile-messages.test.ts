/** A property: no message is a fault, and each answer has the form of JSON-RPC (D259). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as v from 'valibot';
import { MAIN, useGateway } from '../../../support/gateway/gateway-fixture.ts';

const RUNS = 1_500;
const META = 'io.modelcontextprotocol/';
const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', 'x'] as const;
const METHODS = [
  ...(['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover'] as const),
  ...(['notifications/initialized', 'resources/read'] as const),
];
const TOOLS = ['getMe', 'sendMessage', 'changeDeal', 'listContacts', '__proto__', 'mcp'] as const;

const Answered = v.union([
  v.strictObject({
    jsonrpc: v.literal('2.0'),
    id: v.union([v.string(), v.number()]),
    result: v.record(v.string(), v.unknown()),
  }),
  v.strictObject({
    jsonrpc: v.literal('2.0'),
    id: v.optional(v.union([v.string(), v.number()])),
    error: v.strictObject({
      code: v.picklist([-32700, -32600, -32601, -32602, -32020, -32022]),
      message: v.string(),
      data: v.optional(v.unknown()),
    }),
  }),
]);

const gateway = useGateway();

const wild = fc.jsonValue({ maxDepth: 4 });
const version = fc.constantFrom(...VERSIONS);
const method = fc.constantFrom(...METHODS);
const or = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: wild });

const meta = fc.record(
  {
    [`${META}protocolVersion`]: or(version),
    [`${META}clientCapabilities`]: or(fc.constant({})),
    progressToken: wild,
  },
  { requiredKeys: [] },
);
const args = fc.record(
  {
    id: or(fc.constantFrom('deal_1', '../me')),
    channelId: or(fc.constant(MAIN)),
    phone: or(fc.constant('+55 11 98888-7777')),
    text: or(fc.string({ unit: 'binary' })),
    title: or(fc.string()),
    page: or(fc.integer()),
    fields: wild,
    ['__proto__']: wild,
  },
  { requiredKeys: [] },
);
const params = fc.record(
  {
    name: or(fc.constantFrom(...TOOLS)),
    arguments: or(args),
    protocolVersion: or(version),
    cursor: wild,
    _meta: or(meta),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    jsonrpc: or(fc.constant('2.0')),
    id: or(fc.oneof(fc.integer(), fc.string())),
    method: or(method),
    params: or(params),
  },
  { requiredKeys: ['jsonrpc', 'method'] },
);
const body = fc.oneof(
  { weight: 12, arbitrary: or(message).map((value) => JSON.stringify(value) ?? '') },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }).map((many) => JSON.stringify(many)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const visible = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const headers = fc.record(
  {
    'mcp-protocol-version': fc.oneof({ weight: 4, arbitrary: version }, visible),
    'mcp-method': fc.oneof({ weight: 4, arbitrary: method }, visible),
    'mcp-name': fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...TOOLS) }, visible),
    accept: visible,
    'content-type': visible,
    'mcp-session-id': visible,
  },
  { requiredKeys: [] },
);

test('no message is a fault', async (context) => {
  const seen = new Set<string>();
  const property = fc.asyncProperty(body, headers, async (text, named) => {
    const response = await gateway.send('/mcp', { method: 'POST', body: text, headers: named });
    const answer = await response.text();
    if (response.status === 202) assert.equal(answer, '');
    else {
      assert.ok([200, 400, 404].includes(response.status), `${response.status} ${answer}`);
      const parsed = v.parse(Answered, JSON.parse(answer));
      seen.add('error' in parsed ? `${parsed.error.code}` : 'result');
    }
    assert.ok(response.headers.has('ratelimit'), 'it is a call');
  });
  await fc.assert(property, { numRuns: RUNS });
  const faults = gateway.logged.filter(({ cause }) => cause !== undefined);
  assert.deepEqual(faults, []);
  context.diagnostic(`answers ${[...seen].sort()}`);
  assert.equal(seen.size, 7, 'every code, and results');
});
