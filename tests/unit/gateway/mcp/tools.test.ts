/** The table of tools over the table of routes (D258). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import * as v from 'valibot';
import { toolsFor } from '../../../../gateway/mcp/tools.ts';
import { type ApiRoute, parameterNames } from '../../../../gateway/route.ts';
import { ROUTES } from '../../../../gateway/routes.ts';
import { serve } from '../../../../gateway/serve.ts';
import { startServer } from '../../../../gateway/server.ts';
import { TOOL_RESULT_MAX_BYTES } from '../../../../shared/limits.ts';
import type { Answer } from '../../../../shared/ports/bus.ts';
import { ACCESSES, SCOPES } from '../../../../shared/vocabulary.ts';
import type { Caller } from '../../../../shared/wire/caller.ts';
import {
  ACCOUNT_KEY,
  ACCOUNT as CALLER,
  CHANNEL_KEY,
  type Fixture,
  LIMITED_KEY,
  MAIN,
  ORG,
  SHOP,
  startGateway,
} from '../../../support/gateway/gateway-fixture.ts';
import { connectMcp, rpc } from '../../../support/mcp.ts';
import { waitFor } from '../../../support/wait-for.ts';

const Tool = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^[A-Za-z]{1,64}$/)),
  description: v.pipe(v.string(), v.minLength(10)),
  inputSchema: v.strictObject({
    type: v.literal('object'),
    properties: v.record(v.string(), v.looseObject({ description: v.string() })),
    required: v.array(v.string()),
  }),
  annotations: v.record(v.string(), v.boolean()),
});
const toolsOf = (key: Partial<Caller>) => v.parse(v.array(Tool), toolsFor({ ...CALLER, ...key }));
const ACCOUNT = toolsOf({});
const CHANNEL = toolsOf({ scope: 'channel', channelId: SHOP });
const API_ROWS = ROUTES.filter((route): route is ApiRoute => route.entrance === 'api');

const ADDITIVE = [
  ...['writeNote', 'createDeal', 'createPipeline', 'createTask'],
  ...['sendMessage', 'startFlow'],
];
const CHANGING = [
  'removeFile',
  'changeContact',
  'changeConversation',
  'changePipeline',
  'cancelMessage',
  'changeDeal',
  'changeTask',
  'readMessage',
  'upsertContact',
];
const NO_TOOLS = ['getMedia', 'addFile', 'receiveInbound', 'streamEvents', 'acknowledgeEvents'];

const namesOf = (tools: typeof ACCOUNT) => tools.map(({ name }) => name);

function rowOf(name: string): ApiRoute {
  return API_ROWS.find(({ operationId }) => operationId === name) ?? assert.fail(name);
}

describe('the table', () => {
  test('every row with a key is a tool, but for bytes, streams and the inbound webhook', () => {
    const rows = API_ROWS.map(({ operationId }) => operationId);
    const wanted = rows.filter((name) => !NO_TOOLS.includes(name));
    for (const tools of [ACCOUNT, CHANNEL]) assert.deepEqual(namesOf(tools), wanted);
    assert.ok(wanted.length > 10);
  });

  test('a key sees the tools that it may call, as another sees them', () => {
    for (const scope of SCOPES) {
      const all = toolsOf({ scope });
      for (const access of ACCESSES) {
        const allowed = ACCESSES.slice(0, ACCESSES.indexOf(access) + 1);
        const wanted = all.filter(({ name }) => allowed.includes(rowOf(name).access));
        assert.deepEqual(toolsOf({ scope, access }), wanted);
      }
      const reading = toolsOf({ scope, access: 'read' });
      assert.ok(reading.every(({ annotations }) => annotations.readOnlyHint));
    }
  });

  test('path, query and body of a row share no name, nor has any the name of the key', () => {
    for (const route of API_ROWS) {
      const entries = [route.query, route.body].flatMap((schema) =>
        Object.keys(schema?.entries ?? {}),
      );
      const names = [...parameterNames(route.path), ...entries, 'idempotencyKey'];
      assert.equal(new Set(names).size, names.length, route.operationId);
    }
  });

  test('the arguments are those of the row, each with a description', () => {
    for (const { name, inputSchema } of ACCOUNT) {
      const { path, query, body } = rowOf(name);
      const entries = [query, body].flatMap((schema) => Object.keys(schema?.entries ?? {}));
      const wanted = [...parameterNames(path), ...entries, ...(body ? ['idempotencyKey'] : [])];
      assert.deepEqual(Object.keys(inputSchema.properties), wanted);
    }
  });

  test('a schema stands alone, and accepts the example of its row', () => {
    const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
    assert.ok(!JSON.stringify(ACCOUNT).includes('$ref'));
    for (const { name, inputSchema } of ACCOUNT) {
      const { bodyExample = {}, path } = rowOf(name);
      const ids = Object.fromEntries(parameterNames(path).map((each) => [each, 'deal_1']));
      const accepts = ajv.compile(inputSchema);
      const example = { ...ids, ...Object(bodyExample) };
      const isComplete = inputSchema.required.every((each) => each in example);
      assert.equal(accepts(example), isComplete, `${name} ${ajv.errorsText(accepts.errors)}`);
      assert.equal(accepts({ page: 'one', ...ids, phone: 7 }), !needsMore(inputSchema), name);
    }
  });

  test('an account key names the channel to write through, a channel key names none', () => {
    const named = (tools: typeof ACCOUNT) =>
      namesOf(tools.filter(({ inputSchema }) => 'channelId' in inputSchema.properties));
    const naming = ['listConversations', 'sendMessage', 'listTemplates', 'startFlow'];
    assert.deepEqual([named(ACCOUNT), named(CHANNEL)], [naming, []]);
    const requiring = ACCOUNT.filter(({ inputSchema }) =>
      inputSchema.required.includes('channelId'),
    );
    assert.deepEqual(namesOf(requiring), ['sendMessage', 'startFlow']);
  });

  test('the hints tell what reads, what adds and what changes', () => {
    for (const { name, annotations } of ACCOUNT) {
      const reads = rowOf(name).method === 'GET';
      assert.ok(reads || ADDITIVE.includes(name) || CHANGING.includes(name), name);
      assert.equal(annotations.readOnlyHint, reads, name);
      assert.equal(annotations.openWorldHint, !reads, name);
      const changes = reads ? undefined : CHANGING.includes(name);
      assert.equal(annotations.destructiveHint, changes, name);
      assert.equal(annotations.idempotentHint, changes, name);
    }
  });
});

/** Whether values of a wrong type, or the lack of others, must be seen. */
function needsMore({ properties, required }: (typeof ACCOUNT)[number]['inputSchema']): boolean {
  return 'page' in properties || 'phone' in properties || required.some((name) => name !== 'id');
}

describe('a call', () => {
  test('asks what the request of its row asks, in the log under the name of the row', async () => {
    await using gateway = await startGateway();
    await using mcp = await connectMcp(gateway.base, ACCOUNT_KEY);
    const body = { channelId: MAIN, phone: '+55 11 98888-7777', text: 'oi' };
    assert.equal((await gateway.send('/api/v1/messages', { body })).status, 201);
    const called = await mcp.call('sendMessage', body);
    assert.equal(called.status, 201);
    const [byHttp, byTool] = gateway.bus.commands().slice(-2);
    assert.deepEqual(byTool?.address, byHttp?.address);
    assert.notEqual(byTool?.command.id, byHttp?.command.id);
    assert.deepEqual({ ...byTool?.command, id: '' }, { ...byHttp?.command, id: '' });
    assert.equal((await mcp.call('sendMessage', { ...body, phone: 'x' })).status, 422);
    const logged = gateway.logged.filter(({ via }) => via === 'mcp');
    const fields = logged.map(({ operationId, status, toolStatus, orgId, keyPrefix }) => {
      assert.deepEqual([orgId, keyPrefix], [ORG, ACCOUNT_KEY.slice(0, 12)]);
      return `${operationId} ${status} ${toolStatus}`;
    });
    assert.deepEqual(fields, ['sendMessage 200 201', 'sendMessage 200 422']);
  });

  test('takes an optional null as left out, unless null means something', async () => {
    await using gateway = await startGateway();
    await using mcp = await connectMcp(gateway.base, ACCOUNT_KEY);
    const full = { phone: '+55 11 98888-7777', name: null, email: null, tags: null, optIn: null };
    const saved = await mcp.call('upsertContact', { ...full, idempotencyKey: null });
    assert.deepEqual([saved.status, saved.ignored], [201, undefined]);
    const told = () => Object(gateway.bus.commands().at(-1)?.command);
    for (const name of ['name', 'email', 'optIn']) assert.equal(told()[name], undefined, name);
    assert.equal((await mcp.call('listContacts', { page: null, query: null })).status, 200);
    const cleared = { id: 'deal_1', ownerId: null, title: null };
    assert.equal((await mcp.call('changeDeal', cleared)).status, 201);
    assert.deepEqual([told().ownerId, 'title' in told()], [null, false]);
    const inherited = JSON.parse('{"__proto__":null,"constructor":null,"toString":null}');
    assert.equal((await mcp.call('getMe', inherited)).ignored?.length, 3);
    for (const required of [{ phone: null }, {}]) {
      const refused = await mcp.call('upsertContact', required);
      assert.deepEqual([refused.status, refused.isError], [422, true]);
    }
    assert.equal((await mcp.call('changeDeal', { id: null, title: 'x' })).status, 422);
  });

  test('is counted by the metrics as its row, with the status of the row', async () => {
    await using fixture = await startGateway();
    const { gateway } = fixture;
    const counted: string[] = [];
    const request = (operation: string, status: number) => counted.push(`${operation} ${status}`);
    const serving = { ...gateway, metrics: { request } };
    const server = startServer(
      { ...serving, serve: (incoming, requestLog) => serve(gateway, incoming, requestLog) },
      { host: '127.0.0.1', port: 0, setting: 'PORT' },
    );
    const headers = { 'x-api-key': ACCOUNT_KEY };
    const calls = ['getMe', 'sendMessage', 'nothing'].map((name) => rpc('tools/call', { name }));
    for (const body of [...calls, '[']) {
      await fetch(`http://127.0.0.1:${server.port}/mcp`, { method: 'POST', headers, body });
    }
    await server.stop();
    assert.deepEqual(counted, ['getMe 201', 'sendMessage 422', 'mcp 200', 'mcp 400']);
  });

  test('of a channel key goes through its channel, and through no other', async () => {
    await using gateway = await startGateway();
    await using mcp = await connectMcp(gateway.base, CHANNEL_KEY, 'auto');
    const body = { phone: '+55 11 98888-7777', text: 'oi' };
    assert.equal((await mcp.call('sendMessage', body)).status, 201);
    assert.equal(gateway.bus.commands().at(-1)?.command.channelId, SHOP);
    assert.equal((await mcp.call('sendMessage', { ...body, channelId: MAIN })).status, 403);
    const listed = await mcp.call('listConversations', { channelId: MAIN });
    assert.deepEqual([listed.status, listed.isError], [403, true]);
    assert.deepEqual(listed.body, { error: 'Esta chave não tem acesso a este canal.' });
  });

  test('beyond the limit is a result that tells when to come back', async () => {
    await using gateway = await startGateway();
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getMe' } };
    const response = await gateway.send('/mcp', { key: LIMITED_KEY, body: request });
    assert.equal(response.status, 200);
    const { result } = v.parse(v.object({ result: v.looseObject({}) }), await response.json());
    assert.equal(result.isError, true);
    const error = 'Limite de chamadas excedido. Aguarde antes de tentar novamente.';
    assert.deepEqual(result.structuredContent, { status: 429, error, retryAfterSeconds: 17 });
  });

  test('tells every issue of path, body and key at once', async () => {
    await using gateway = await startGateway();
    await using mcp = await connectMcp(gateway.base, ACCOUNT_KEY);
    const { status, body } = await mcp.call('changeDeal', { id: 7, title: '', idempotencyKey: 7 });
    assert.equal(status, 422);
    const { issues } = v.parse(v.object({ issues: v.array(v.object({ path: v.string() })) }), body);
    assert.deepEqual(issues.map(({ path }) => path).sort(), ['id', 'idempotencyKey', 'title']);
    const noPath = await mcp.call('changeDeal', { id: '../me', title: 'x' });
    assert.deepEqual([noPath.status, noPath.body], [404, { error: 'Endereço não encontrado.' }]);
  });

  test('a fault of its row is a 500 of HTTP, and tells nothing', async () => {
    await using gateway = await startGateway();
    const { onAsk } = gateway.bus;
    gateway.bus.onAsk = (asked) => {
      if (asked.command.type !== 'admit') throw new Error('secret detail');
      return onAsk(asked);
    };
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getMe' } };
    const response = await gateway.send('/mcp', { body: request });
    assert.equal(response.status, 500);
    const error = 'Erro interno. Tente novamente em instantes.';
    assert.deepEqual(await response.json(), { error });
  });
});

const PART_BYTES = 256 * 1024;

/** A list of `parts` texts, one in each part. */
function answerInParts({ bus }: Fixture, parts: number): void {
  const { onQuery } = bus;
  const part = (at: number): Answer => {
    const body = `${at === 0 ? '{"data":[' : ','}"${'ç'.repeat(PART_BYTES / 2)}"`;
    if (at === parts - 1) return { status: 200, body: `${body}]}` };
    return { status: 200, body, rest: { resource: 'contacts-rest', payload: { at: at + 1 } } };
  };
  bus.onQuery = (queried) => {
    if (queried.resource === 'contacts') return part(0);
    if (queried.resource !== 'contacts-rest') return onQuery(queried);
    return part(v.parse(v.object({ at: v.number() }), queried.payload).at);
  };
}

describe('a list in parts (D124)', () => {
  test('is one result', async () => {
    await using gateway = await startGateway();
    await using mcp = await connectMcp(gateway.base, ACCOUNT_KEY);
    answerInParts(gateway, 3);
    const { status, body } = await mcp.call('listContacts');
    assert.equal(status, 200);
    assert.deepEqual(body, { data: Array(3).fill('ç'.repeat(PART_BYTES / 2)) });
  });

  test('beyond 1 MiB is refused with the way out, and its rest is not read', async () => {
    await using gateway = await startGateway();
    await using mcp = await connectMcp(gateway.base, ACCOUNT_KEY);
    answerInParts(gateway, 200);
    const { status, body } = await mcp.call('listContacts');
    assert.equal(status, 422);
    const message = 'O resultado é grande demais para uma ferramenta: peça menos itens por página.';
    assert.deepEqual(body, { error: 'Dados inválidos.', issues: [{ path: 'limit', message }] });
    const rest = gateway.bus.queried.filter(({ resource }) => resource === 'contacts-rest');
    assert.equal(rest.length, TOOL_RESULT_MAX_BYTES / PART_BYTES - 1);
    const { streamLimiter } = gateway.gateway;
    await waitFor(() => streamLimiter.tryAcquire(ORG) !== null, { what: 'its place is free' });
  });
});
