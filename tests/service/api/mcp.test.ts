/** `/mcp` through the official client, on the real stack (D258, D259, D260). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { ROOT } from '../../../infra/tools/source.ts';
import { ConversationAnswer } from '../../../shared/api/conversation.ts';
import { ListMessagesAnswer, SendMessageAnswer } from '../../../shared/api/message.ts';
import { crmFixtureOf, TEAM } from '../../support/api/crm-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { calledOf, connectMcp, rpc } from '../../support/mcp.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const stack = useStack();
const { a, other, few } = useOrganizations(stack, {
  a: TEAM,
  other: {},
  few: { limits: { perKey: 8, perOrg: 600 } },
});

/** The client quotes the answer of HTTP. */
const REFUSED = /Chave de API ausente, inválida ou revogada\./;
const connect = (key: string) => connectMcp(stack.baseUrl, key);
const Listed = v.looseObject({
  data: v.array(v.looseObject({ id: v.string() })),
  total: v.optional(v.number()),
});

describe('the official client', () => {
  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }] as const) {
    test(`connects, lists and calls: ${JSON.stringify(mode)}`, async () => {
      await using mcp = await connectMcp(stack.baseUrl, a.key, mode);
      assert.equal(mcp.client.getServerVersion()?.name, 'recado');
      assert.match(mcp.client.getInstructions() ?? '', /sendMessage/);
      const { tools } = await mcp.client.listTools();
      assert.ok(tools.some(({ name }) => name === 'sendMessage'));
      const { status, body } = await mcp.call('getMe');
      assert.equal(status, 200);
      const me = await stack.request('GET', '/api/v1/me', { key: a.key });
      const Org = v.object({
        data: v.object({ org: v.unknown(), token: v.object({ id: v.string() }) }),
      });
      assert.deepEqual(v.parse(Org, body), v.parse(Org, me.json));
      if (mode === 'legacy') await mcp.client.ping();
    });
  }

  test('a wrong key is refused at the door, with the sentence of the API', async () => {
    const wrong = `${a.key}x`;
    await assert.rejects(connect(wrong), REFUSED);
    const response = await fetch(`${stack.baseUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${wrong}` },
      body: rpc('ping'),
    });
    assert.equal(response.status, 401);
    assert.deepEqual(await response.json(), {
      error: 'Chave de API ausente, inválida ou revogada.',
    });
  });
});

describe('tools', () => {
  test('a message reaches the network, is read back page by page, and is the key’s', async () => {
    await using mcp = await connect(a.key);
    const phone = freshPhone();
    const texts = ['um', 'dois', 'três'];
    const sent = [];
    for (const text of texts) {
      const { status, body } = await mcp.call('sendMessage', { channelId: a.main, phone, text });
      assert.equal(status, 201);
      sent.push(v.parse(SendMessageAnswer, body).data);
    }
    const atNetwork = () => stack.network.sent(phone);
    await waitUntil('all are at the network', async () => (await atNetwork()).length === 3);
    assert.deepEqual(pluck(await atNetwork(), 'text'), texts);
    const { conversationId = '' } = sent[0] ?? {};
    const pages = [];
    for (const page of [1, 2]) {
      const { body } = await mcp.call('listMessages', { conversationId, page, limit: 2 });
      const parsed = v.parse(ListMessagesAnswer, body);
      assert.deepEqual([parsed.page, parsed.limit, parsed.total], [page, 2, 3]);
      pages.push(...parsed.data);
    }
    assert.deepEqual(pluck(pages, 'text'), [...texts].reverse());
    assert.deepEqual(new Set(pages.map(({ author }) => author.label)), new Set(['ERP']));
  });

  test('a 422 with issues, a 404 and a 409 are the answers of the API, with their status', async () => {
    await using mcp = await connect(a.key);
    const crm = crmFixtureOf(stack, a);
    const deal = await crm.deal();
    await crm.changeDeal(deal.id, { status: 'won' });
    const cases = [
      ['sendMessage', 'messages', {}, { phone: '1' }, 422],
      ['createTask', 'tasks', {}, { title: '', dueTime: '10:00' }, 422],
      ['createDeal', 'deals', {}, { phone: freshPhone(), title: 'Plano' }, 404],
      ['changeDeal', `deals/${deal.id}`, { id: deal.id }, { status: 'won' }, 409],
      ['changeDeal', 'deals/deal_none', { id: 'deal_none' }, { title: 'x' }, 404],
    ] as const;
    for (const [tool, path, inPath, body, status] of cases) {
      const answer = await crm.post(path, body);
      assert.equal(answer.status, status, answer.text);
      const called = await mcp.call(tool, { ...inPath, ...body });
      assert.deepEqual([called.status, called.isError, called.body], [status, true, answer.json]);
    }
  });

  test('every reading tool answers as its path does', async () => {
    await using mcp = await connect(a.mainKey);
    const { tools } = await mcp.client.listTools();
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    assert.ok(reading.length > 5);
    for (const { name, inputSchema } of reading) {
      if (inputSchema.required?.length || name === 'getMe') continue;
      const path = name.replace(/^list(.)/, (_, first: string) => first.toLowerCase());
      const answer = await stack.request('GET', `/api/v1/${path}`, { key: a.mainKey });
      const { status, body } = await mcp.call(name);
      assert.deepEqual([status, body], [answer.status, answer.json], name);
    }
  });

  test('the same idempotencyKey is one call, by either door', async () => {
    await using mcp = await connect(a.key);
    const phone = freshPhone();
    const body = { channelId: a.main, phone, text: 'uma vez' };
    const once = { ...body, idempotencyKey: `mcp-${phone}` };
    const first = await mcp.call('sendMessage', once);
    assert.deepEqual([first.status, first.replayed], [201, false]);
    const second = await mcp.call('sendMessage', once);
    assert.deepEqual([second.status, second.body, second.replayed], [201, first.body, true]);
    const headers = { 'idempotency-key': once.idempotencyKey };
    const byHttp = await stack.request('POST', '/api/v1/messages', { key: a.key, headers, body });
    assert.deepEqual([byHttp.status, byHttp.json], [201, first.body]);
    assert.equal(byHttp.headers.get('idempotent-replayed'), 'true');
    assert.equal((await mcp.call('sendMessage', { ...once, text: 'outra' })).status, 422);
    await waitUntil('it is sent', async () => (await stack.network.sent(phone)).length === 1);
    const { conversationId } = v.parse(SendMessageAnswer, first.body).data;
    assert.equal((await stack.history(a.key, conversationId)).length, 1);
  });
});

describe('scope', () => {
  test('a channel key sees and does its own channel’s only, another organization nothing', async () => {
    const phone = freshPhone();
    const sent = await stack.send(a.key, { channelId: a.main, phone, text: 'oi' });
    const { conversationId } = sent;
    await using main = await connect(a.mainKey);
    await using shop = await connect(a.shopKey);
    await using stranger = await connect(other.key);
    const idsOf = (body: unknown) => v.parse(Listed, body).data.map(({ id }) => id);
    assert.deepEqual(idsOf((await main.call('listChannels')).body), [a.main]);
    assert.deepEqual(idsOf((await shop.call('listChannels')).body), [a.shop]);
    assert.ok(idsOf((await main.call('listConversations')).body).includes(conversationId));
    assert.ok(!idsOf((await shop.call('listConversations')).body).includes(conversationId));
    const read = { conversationId };
    assert.equal((await main.call('listMessages', read)).status, 200);
    assert.equal((await shop.call('listMessages', read)).status, 403);
    assert.equal((await stranger.call('listMessages', read)).status, 404);
    const write = { phone, text: 'oi', channelId: a.main };
    assert.equal((await shop.call('sendMessage', write)).status, 403);
    assert.equal((await stranger.call('sendMessage', write)).status, 404);
    const own = await shop.call('sendMessage', { phone, text: 'oi' });
    assert.equal(v.parse(SendMessageAnswer, own.body).data.channelId, a.shop);
  });

  test('a key that was revoked is refused by the next message', async () => {
    const token = `given-token-for-mcp-${a.ref}-0123456789`;
    const old = { ref: 'old', name: 'Antiga', scope: 'account', token };
    const orgs = (keys: readonly unknown[]) => ({ orgs: [{ ref: a.ref, keys }] });
    await stack.apply(orgs([old]));
    await using mcp = await connect(token);
    assert.equal((await mcp.call('getMe')).status, 200);
    await stack.apply(orgs([{ ref: 'old', remove: true }]));
    await assert.rejects(mcp.call('getMe'), REFUSED);
    await assert.rejects(mcp.client.listTools(), REFUSED);
  });
});

test('each message is one call, in the windows of the API', async () => {
  const remaining = async (response: Response) => {
    await response.arrayBuffer();
    return Number(/"key";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
  };
  const headers = { authorization: `Bearer ${few.key}` };
  const get = () => fetch(`${stack.baseUrl}/api/v1/me`, { headers });
  const post = (body: string) => fetch(`${stack.baseUrl}/mcp`, { method: 'POST', headers, body });
  const getMe = rpc('tools/call', { name: 'getMe' });
  const left = [];
  for (const call of [
    get,
    () => post(getMe),
    () => post(rpc('initialize', { protocolVersion: '2025-11-25' })),
    () => post('{"jsonrpc":"2.0","method":"notifications/initialized"}'),
    () => post(rpc('ping')),
    () => post(rpc('tools/list')),
    () => post('no message'),
    () => post(rpc('tools/call', { name: 'sendMessage' })),
  ]) {
    left.push(await remaining(await call()));
  }
  assert.deepEqual(left, [7, 6, 5, 4, 3, 2, 1, 0]);
  assert.equal((await get()).status, 429);
  assert.equal((await post(rpc('ping'))).status, 429);
  const refused = await post(getMe);
  assert.equal(refused.status, 200);
  const { result } = v.parse(
    v.object({
      result: v.object({
        isError: v.literal(true),
        structuredContent: v.object({ status: v.literal(429), retryAfterSeconds: v.number() }),
      }),
    }),
    await refused.json(),
  );
  const { retryAfterSeconds } = result.structuredContent;
  assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 60);
});

const Shown = v.object({ name: v.string(), arguments: v.record(v.string(), v.unknown()) });

describe('docs/mcp.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'mcp.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const commands = blocks.filter(([, kind]) => kind === 'sh').map(([, , text = '']) => text);

  test('its commands can be pasted, with an own address and key', async () => {
    const [given = '', ...calls] = commands;
    const own = given.replace(/=http.*/, `=${stack.baseUrl}`).replace(/=rcd_.*/, `=${a.key}`);
    const answers = [];
    for (const call of calls) {
      const { stdout } = await promisify(execFile)('bash', ['-euc', `${own}\n${call}`]);
      answers.push(
        v.parse(v.object({ id: v.number(), result: v.looseObject({}) }), JSON.parse(stdout)),
      );
    }
    const [listed, called, refused, ...more] = answers;
    assert.equal(more.length, 0);
    assert.deepEqual(pluck(answers, 'id'), [1, 2, 3]);
    assert.ok(Array.isArray(listed?.result.tools));
    assert.equal(calledOf(called?.result).body.created, true);
    assert.equal(calledOf(refused?.result).status, 422);
  });

  test('its conversation of an assistant can be had, and never talks over somebody', async () => {
    const token = `given-token-of-an-assistant-${a.ref}-0123456789`;
    const robot = { ref: 'robot', name: 'Robô', scope: 'account', assistant: true, token };
    const people = [{ ref: 'ana', name: 'Ana' }];
    const { orgs } = await stack.apply({ orgs: [{ ref: a.ref, keys: [robot], members: people }] });
    const from = freshPhone();
    const sent = await stack.send(a.key, { channelId: a.main, phone: from, text: 'Olá' });
    await stack.messageIn(a.key, sent, 'read');
    await stack.network.inbound({ channelId: a.main, from, text: 'Quero trocar' });
    const { conversationId } = sent;
    const newest = await waitUntil('the contact has written', async () => {
      const [first] = await stack.history(a.key, conversationId);
      return first?.direction === 'in' && first.id;
    });
    const values: Readonly<Record<string, string>> = {
      ...{ CONVERSATION: conversationId, CHANNEL: a.main, NEWEST: newest },
      PERSON: orgs[a.ref]?.members.ana ?? assert.fail('the member is there'),
    };
    const lines = blocks.find(([, kind]) => kind === 'jsonl')?.[2] ?? assert.fail('one is shown');
    const calls = lines
      .trim()
      .split('\n')
      .map((line) => v.parse(Shown, JSON.parse(line.replace(/"([A-Z]+)"/g, named))));
    function named(_: string, name: string): string {
      return JSON.stringify(values[name] ?? assert.fail(name));
    }
    await using mcp = await connect(token);
    const statuses = [];
    for (const { name, arguments: args } of calls) {
      statuses.push((await mcp.call(name, args)).status);
    }
    assert.deepEqual(statuses, [200, 201, 201, 200, 200]);
    const send = calls.find(({ name }) => name === 'sendMessage') ?? assert.fail('it sends');
    const again = await mcp.call(send.name, send.arguments);
    assert.equal(again.status, 409, 'its own message is newer by now');
    const path = `/api/v1/conversations/${conversationId}`;
    const { json } = await stack.request('GET', path, { key: a.key });
    const { data } = v.parse(ConversationAnswer, json);
    assert.deepEqual([data.assignedTo, data.status], [values.PERSON, 'resolved']);
  });

  test('its configuration is that of a client', async () => {
    const json = blocks.find(([, kind]) => kind === 'json')?.[2] ?? assert.fail('one is shown');
    const Configuration = v.object({
      mcpServers: v.object({
        recado: v.object({
          type: v.literal('http'),
          url: v.pipe(v.string(), v.endsWith('/mcp')),
          headers: v.object({ Authorization: v.pipe(v.string(), v.startsWith('Bearer ')) }),
        }),
      }),
    });
    v.parse(Configuration, JSON.parse(json));
  });
});
