/** C4.9: the recipient and the content of a send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactId, conversationId } from '../../../shared/entity-ids.ts';
import type { Admission } from '../../../shared/wire/caller.ts';
import {
  admission,
  CHANNEL_KEY,
  ids,
  MAIN,
  ORG,
  SHOP,
  startGateway,
} from '../../support/gateway/gateway-fixture.ts';

const PHONE = '5511988887777';

test('a send by phone goes to the mailbox of that phone on that channel', async () => {
  await using gateway = await startGateway();
  const key = conversationId(ids, MAIN, contactId(ids, ORG, PHONE));
  for (const phone of ['+55 (11) 98888-7777', '11 8888-7777', '5511988887777']) {
    const body = { channelId: MAIN, phone, text: 'Olá' };
    const response = await gateway.send('/api/v1/messages', { body });
    assert.equal(response.status, 201);
    const sent = gateway.bus.commands().at(-1);
    assert.deepEqual(sent?.address, { kind: 'conversation', key });
    const scope = { byConversation: false, channelScope: false };
    const said = { text: 'Olá', authorLabel: 'ERP', origin: 'api' };
    const to = { orgId: ORG, channelId: MAIN, phone: PHONE };
    const command = { id: sent?.command.id, type: 'send', ...to, ...scope, ...said };
    assert.deepEqual(sent?.command, command);
  }
  const messageIds = gateway.bus.commands().map(({ command }) => command.id);
  assert.equal(new Set(messageIds).size, 3, 'not idempotent: each call sends one message');
});

test('a send by conversationId goes to that very mailbox', async () => {
  await using gateway = await startGateway();
  const body = { conversationId: 'cnv_abc', text: 'Olá' };
  await gateway.send('/api/v1/messages', { key: CHANNEL_KEY, body });
  const sent = gateway.bus.commands().at(-1);
  assert.deepEqual(sent?.address, { kind: 'conversation', key: 'cnv_abc' });
  const { byConversation, phone, channelId, channelScope } = sent?.command ?? {};
  assert.deepEqual([byConversation, phone, channelId, channelScope], [true, null, SHOP, true]);
});

test("an actor's answer is copied out unparsed, whatever it is", async () => {
  await using gateway = await startGateway();
  const { onAsk } = gateway.bus;
  const raw = '{"data": {"messageId":"m",  "x":1}}';
  gateway.bus.onAsk = (asked) =>
    asked.command.type === 'admit'
      ? onAsk(asked)
      : { status: 409, body: raw, headers: { 'retry-after': '3' } };
  const body = { channelId: MAIN, phone: PHONE, text: 'Olá' };
  const response = await gateway.send('/api/v1/messages', { body });
  assert.equal(response.status, 409);
  assert.equal(response.headers.get('retry-after'), '3');
  assert.equal(await response.text(), raw);
});

test('an ask carries the deadline of 8 s and the request id', async () => {
  await using gateway = await startGateway();
  const before = Date.now();
  const body = { channelId: MAIN, phone: PHONE, text: 'Olá' };
  await gateway.send('/api/v1/messages', { body, headers: { 'x-request-id': 'mine' } });
  for (const { options } of gateway.bus.asked) {
    assert.equal(options.requestId, 'mine');
    assert.ok(options.deadline >= before + 8_000 && options.deadline <= Date.now() + 8_000);
  }
});

test('a call that may have run before its caller was read anew is asked as a repeat', async () => {
  await using gateway = await startGateway();
  const { onAsk } = gateway.bus;
  for (const mayHaveRun of [true, undefined]) {
    // As an owner answers that has received the repeat of an ask, or its first.
    gateway.bus.onAsk = (asked) => {
      if (asked.command.type !== 'admit') return onAsk(asked);
      const answer = admission({ ...asked.command, knownVersion: null });
      return { ...answer, admission: { ...answer.admission, mayHaveRun } as Admission };
    };
    const body = { channelId: MAIN, phone: PHONE, text: 'Olá' };
    await gateway.send('/api/v1/messages', { body });
    gateway.bus.asked.length = 0;
    const response = await gateway.send('/api/v1/messages', { body });
    assert.equal(response.status, 201);
    const marks = gateway.bus.commands().map(({ options }) => options.repeat);
    assert.deepEqual(marks.slice(-1), [mayHaveRun]);
  }
});

test('one wide log line per request tells no phone, key or text', async () => {
  await using gateway = await startGateway();
  const body = { channelId: MAIN, phone: PHONE, text: 'Segredo' };
  await gateway.send('/api/v1/messages', { body });
  const [line, ...more] = gateway.logged;
  assert.equal(more.length, 0);
  const { ms: _ms, requestId: _id, ...told } = line ?? {};
  const request = { method: 'POST', operationId: 'sendMessage', status: 201 };
  assert.deepEqual(told, { ...request, orgId: ORG, keyPrefix: 'rcd_loja_acc' });
});
