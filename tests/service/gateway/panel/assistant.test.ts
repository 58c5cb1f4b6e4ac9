/** An AI assistant's key, made in the panel: its changes have its origin and its name (D448). */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { GetMessageAnswer } from '../../../../shared/api/message.ts';
import { parseAnswer } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import { type ReadStream, readStream } from '../../../support/event-stream.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { connectMcp } from '../../../support/mcp.ts';
import { waitUntil } from '../../../support/wait-for.ts';

before(startPanel);

const Made = v.object({ data: v.object({ id: v.string(), token: v.string() }) });
const Written = v.object({
  data: v.object({ messageId: v.string(), conversationId: v.string() }),
});
const Event = v.object({ data: v.looseObject({ origin: v.string() }) });

async function assistantKey(name: string, more: object = {}) {
  const ana = await panel().signedInAs('ana');
  const body = { name, scope: 'account', assistant: true, ...more };
  const { data } = parseAnswer(await ana.call('POST', '/panel/api/keys', { body }), Made, 201);
  const all = await rows(ana, '/panel/api/keys');
  const row = all.find(({ id }) => id === data.id);
  return { token: data.token, row };
}

async function originOf(stream: ReadStream, text: string): Promise<string> {
  const { data } = await stream.about(text);
  return v.parse(Event, JSON.parse(data)).data.origin;
}

describe('the key of an assistant', () => {
  test('is made with its terms, and refused with a time that has passed', async () => {
    const expiresAt = '2099-01-31T23:59:59.000Z';
    const { row } = await assistantKey('Prazo', { access: 'send', expiresAt });
    assert.deepEqual([row?.access, row?.expiresAt, row?.assistant], ['send', expiresAt, true]);
    const ana = await panel().signedInAs('ana');
    const past = { name: 'Tarde', scope: 'account', expiresAt: '2020-01-01T00:00:00Z' };
    const answer = await ana.call('POST', '/panel/api/keys', { body: past });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /"path":"expiresAt","message":"Deve ser um momento que ainda não/);
    const path = `/panel/api/channels/${panel().shop.main}/keys`;
    const body = { name: 'Leitor do canal', access: 'read' };
    const { data } = parseAnswer(await ana.call('POST', path, { body }), Made, 201);
    const channels = await rows(ana, '/panel/api/channels');
    const { keys } = v.parse(
      v.object({ keys: v.array(v.looseObject({ id: v.string(), access: v.string() })) }),
      channels.find(({ id }) => id === panel().shop.main),
    );
    assert.equal(keys.find(({ id }) => id === data.id)?.access, 'read');
  });

  test('gives events and the audit log its origin, and its messages its name', async () => {
    const { stack, shop } = panel();
    const { token: key } = await assistantKey('Robô da loja');
    const query = { name: 'watch', events: '*,message.sent' };
    using stream = await readStream(stack.baseUrl, { key: shop.key, query });
    const phone = freshPhone();
    await using mcp = await connectMcp(stack.baseUrl, key);
    const message = { channelId: shop.main, phone, text: `oi de ${phone}` };
    const { body } = await mcp.call('sendMessage', message);
    const { data: sent } = v.parse(Written, body);
    const task = { title: `Tarefa de ${phone}` };
    assert.equal((await stack.request('POST', '/api/v1/tasks', { key, body: task })).status, 201);
    const inbound = { phone, message: `entrada de ${phone}` };
    const path = `/api/webhooks/channel/${shop.main}`;
    await stack.request('POST', path, { key, body: inbound });
    for (const text of [message.text, task.title, inbound.message]) {
      assert.equal(await originOf(stream, text), 'assistant', text);
    }
    const note = { id: sent.conversationId, text: 'Só para a equipe.' };
    const written = await mcp.call('writeNote', note);
    const { messageId: id } = v.parse(Written, written.body).data;
    const read = v.parse(GetMessageAnswer, (await mcp.call('getMessage', { id })).body);
    const history = await stack.history(shop.key, sent.conversationId);
    assert.equal(history.length, 2);
    for (const { author } of [read.data, ...history]) {
      assert.deepEqual(author, { kind: 'automation', label: 'Robô da loja' });
    }
    const ana = await panel().signedInAs('ana');
    const entries = await waitUntil('the audit log has them', async () => {
      const all = await rows(ana, '/panel/api/audit?limit=200');
      const own = all.filter(({ name }) => name === 'Robô da loja');
      const operations = new Set(own.map(({ operation }) => operation));
      const wanted = ['sendMessage', 'createTask', 'receiveInbound', 'writeNote'];
      return wanted.every((each) => operations.has(each)) && own;
    });
    for (const { origin, memberId, role, address } of entries) {
      assert.deepEqual([origin, memberId, role], ['assistant', null, null]);
      assert.equal(address, '127.0.0.1');
    }
  });

  test('and a program’s key has neither, nor has what a person does', async () => {
    const { stack, shop } = panel();
    const ana = await panel().signedInAs('ana');
    const before = (await rows(ana, '/panel/api/audit?limit=200')).length;
    using stream = await readStream(stack.baseUrl, { key: shop.key, query: { name: 'other' } });
    const title = `Tarefa ${freshPhone()}`;
    await stack.request('POST', '/api/v1/tasks', { key: shop.key, body: { title } });
    assert.equal(await originOf(stream, title), 'api');
    const own = `Pessoa ${freshPhone()}`;
    assert.equal((await ana.call('POST', '/api/v1/tasks', { body: { title: own } })).status, 201);
    assert.equal(await originOf(stream, own), 'panel');
    const entries = await waitUntil('the person’s is there', async () => {
      const all = await rows(ana, '/panel/api/audit?limit=200');
      return all.length > before && all;
    });
    assert.ok(entries.slice(0, entries.length - before).every((entry) => !('origin' in entry)));
  });
});
