/** Sending texts and reading them back (C4.8, C4.9). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { ListMessagesAnswer } from '../../../shared/api/message.ts';
import { untilRows } from '../../support/api/content-fixture.ts';
import { assertRefused, freshPhone, issuePaths, type Sent } from '../../support/api.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const stack = useStack();
const { a } = useOrganizations(stack, { a: {} });

function post(body: unknown, key = a.key) {
  return stack.call('POST', '/api/v1/messages', { key, body });
}

function send(phone: string, text: string): Promise<Sent> {
  return stack.send(a.key, { channelId: a.main, phone, text });
}

const MESSAGE_FIELDS = [
  'id,direction,kind,text,media,author,status,receipts,externalId,replyToId,transcript',
  'createdAt',
].join();

describe('POST /api/v1/messages (contract section 4)', () => {
  test('answers 201 with the three ids, and creates the contact and the conversation', async () => {
    const phone = freshPhone();
    const answer = await post({ channelId: a.main, phone: `+${phone}`, text: 'olá' });
    assert.equal(answer.status, 201);
    const { data } = answer.json as { data: Sent };
    assert.deepEqual(Object.keys(data), ['messageId', 'conversationId', 'channelId']);
    for (const id of Object.values(data)) {
      assert.match(id, /^[A-Za-z0-9_-]{1,40}$/);
      assert.ok(!id.includes(phone.slice(4)), 'an id says nothing about a phone');
    }
    const contact = await stack.contact(a.key, phone);
    assert.deepEqual([contact?.phone, contact?.name, contact?.source], [phone, null, 'api']);
    const { data: found } = await stack.conversations(a.key, `?contactId=${contact?.id}`);
    assert.deepEqual(pluck(found, 'id'), [data.conversationId]);
  });

  test('to a contact who opted out it is accepted and sent, as the document says', async () => {
    const phone = freshPhone();
    const out = { phone, optIn: false, tags: ['vip'] };
    await stack.call('POST', '/api/v1/contacts', { key: a.key, body: out });
    await send(phone, 'Recibo do pedido');
    const hooked = await stack.request('POST', `/api/webhooks/channel/${a.main}`, {
      key: a.mainKey,
      body: { phone, message: 'Código: 1234' },
    });
    assert.ok(hooked.status < 300, hooked.text);
    const both = async () => (await stack.network.sent(phone)).length === 2;
    await waitUntil('both are sent', both);
    assert.equal((await stack.contact(a.key, phone))?.optIn, false, 'it stays out');
    const { text } = await stack.request('GET', '/openapi.json');
    const { paths } = JSON.parse(text);
    for (const path of ['/api/v1/messages', '/api/webhooks/channel/{id}']) {
      assert.match(paths[path].post.description, /pediu para sair também/);
    }
  });

  test('a conversation of its own per channel, one for ever per channel and contact', async () => {
    const phone = freshPhone();
    const main = await send(phone, 'a');
    const shop = await stack.send(a.key, { channelId: a.shop, phone, text: 'b' });
    assert.notEqual(main.conversationId, shop.conversationId);
    assert.equal((await send(`+${phone}`, 'c')).conversationId, main.conversationId);
    const without = `${phone.slice(0, 4)}${phone.slice(5)}`;
    assert.equal((await send(without, 'd')).conversationId, main.conversationId);
  });

  test('by conversationId; together with phone the phone must be its contact’s', async () => {
    const phone = freshPhone();
    const { conversationId } = await send(phone, 'a');
    const own = { channelId: a.main, conversationId, text: 'b' };
    assert.equal((await stack.send(a.key, own)).conversationId, conversationId);
    assert.equal((await stack.send(a.mainKey, { conversationId, text: 'c' })).channelId, a.main);
    assert.equal((await stack.send(a.key, { ...own, phone })).conversationId, conversationId);
    assert.deepEqual(issuePaths(await post({ ...own, phone: freshPhone() })), ['phone']);
    assertRefused(await post({ ...own, conversationId: 'cnv_unknown' }), 404);
    assertRefused(await post({ ...own, conversationId: 'não é um id' }), 404);
    assert.deepEqual(issuePaths(await post({ ...own, channelId: a.shop })), ['conversationId']);
    assert.equal((await stack.history(a.key, conversationId)).length, 4);
  });

  test('text of 1 to 4096 code points reaches the network unchanged', async () => {
    const phone = freshPhone();
    const texts = ['x', '😀'.repeat(4096), ' espaço e\nlinha "aspas" \\ </b>', 'ação → fim'];
    for (const text of texts) await send(phone, text);
    const sent = await untilRows(stack, phone, texts.length);
    assert.deepEqual(pluck(sent, 'text'), texts);
  });

  test('every problem is reported at once: 422 with its paths', async () => {
    const wrong: [unknown, string[]][] = [
      [{}, ['channelId', 'phone', 'text']],
      [{ channelId: a.main }, ['phone', 'text']],
      [{ channelId: a.main, phone: freshPhone() }, ['text']],
      [{ channelId: a.main, text: 'x' }, ['phone']],
      [{ channelId: a.main, phone: '123', text: '' }, ['phone', 'text']],
      [{ channelId: '', phone: 'abcdefgh', text: 7 }, ['channelId', 'phone', 'text']],
      [{ channelId: a.main, phone: freshPhone(), text: 'x'.repeat(4097) }, ['text']],
      [{ channelId: a.main, conversationId: '', text: 'x' }, ['conversationId']],
      [{ channelId: a.main, phone: '00000000', text: 'x' }, ['phone']],
    ];
    for (const [body, paths] of wrong) {
      const answer = await post(body);
      assert.deepEqual(issuePaths(answer), paths, JSON.stringify(body));
    }
  });

  test('a refused send changes nothing (invariant 4)', async () => {
    const phone = freshPhone();
    await post({ channelId: a.main, phone, text: '' });
    await post({ channelId: 'chn_unknown', phone, text: 'x' });
    assert.equal(await stack.contact(a.key, phone), null);
    assert.deepEqual(await stack.network.sent(phone), []);
  });
});

describe('under many calls at once', () => {
  test('100 parallel first sends to one phone are one contact, one conversation, 100 messages', async () => {
    const phone = freshPhone();
    const sent = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        stack.send(a.key, { channelId: a.main, phone, text: `n${n}` }),
      ),
    );
    assert.equal(new Set(sent.map(({ messageId }) => messageId)).size, 100);
    const [conversationId = '', ...others] = new Set(sent.map((each) => each.conversationId));
    assert.deepEqual(others, []);
    const contact = await stack.contact(a.key, phone);
    const { total } = await stack.conversations(a.key, `?contactId=${contact?.id}`);
    assert.equal(total, 1);
    const history = await stack.history(a.key, conversationId);
    assert.deepEqual(
      new Set(history.map(({ id }) => id)),
      new Set(sent.map(({ messageId }) => messageId)),
    );
    const arrived = pluck(await untilRows(stack, phone, 100), 'text');
    assert.deepEqual(arrived, history.map(({ text }) => text).reverse());
  });

  test('60 sends arrive at the network in their order (invariant 2)', async () => {
    const phone = freshPhone();
    const texts = Array.from({ length: 60 }, (_, index) => `em ordem ${index}`);
    for (const text of texts) await send(phone, text);
    const arrived = await untilRows(stack, phone, 60);
    assert.deepEqual(pluck(arrived, 'text'), texts);
  });
});

describe('GET /api/v1/messages (contract section 4)', () => {
  test('a history right after the 201 shows the message, queued or further', async () => {
    const phone = freshPhone();
    for (let index = 0; index < 20; index++) {
      const { conversationId, messageId } = await send(phone, `${index}`);
      const [newest] = await stack.history(a.key, conversationId);
      assert.equal(newest?.id, messageId);
    }
  });

  test('a message climbs from queued to read, with all receipts in their order', async () => {
    const sent = await send(freshPhone(), 'leia');
    const message = await stack.messageIn(a.key, sent, 'read');
    assert.equal(Object.keys(message).join(), MESSAGE_FIELDS);
    const { receipts, externalId, createdAt, id, ...rest } = message;
    assert.deepEqual(rest, {
      direction: 'out',
      kind: 'text',
      text: 'leia',
      media: null,
      author: { kind: 'automation', label: 'ERP' },
      status: 'read',
      replyToId: null,
      transcript: null,
    });
    assert.equal(id, sent.messageId);
    assert.match(externalId ?? '', /^wamid\./);
    const times = [receipts.sent, receipts.delivered, receipts.read].map(String);
    assert.deepEqual(times, times.toSorted());
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('the same over a web channel', async () => {
    const sent = await stack.send(a.shopKey, { phone: freshPhone(), text: 'leia' });
    const message = await stack.messageIn(a.key, sent, 'read');
    assert.ok(message.receipts.sent && message.receipts.delivered && message.receipts.read);
  });

  test('pages newest first, conversationId beside data, total of all', async () => {
    const phone = freshPhone();
    const texts = Array.from({ length: 25 }, (_, index) => `p${index}`);
    let conversationId = '';
    for (const text of texts) ({ conversationId } = await send(phone, text));
    const seen: (string | null)[] = [];
    for (const page of [1, 2, 3, 4]) {
      const path = `/api/v1/messages?conversationId=${conversationId}&page=${page}&limit=10`;
      const { json } = await stack.request('GET', path, { key: a.key });
      assert.deepEqual(Object.keys(json as object), [
        'conversationId',
        'data',
        'page',
        'limit',
        'total',
      ]);
      const answer = v.parse(ListMessagesAnswer, json);
      const { data, ...beside } = answer;
      assert.deepEqual(beside, { conversationId, page, limit: 10, total: 25 });
      seen.push(...data.map(({ text }) => text));
    }
    assert.deepEqual(seen, texts.toReversed());
  });

  test('conversationId is required: 422; an unknown one is 404', async () => {
    const list = (query: string) => stack.call('GET', `/api/v1/messages?${query}`, { key: a.key });
    assert.deepEqual(issuePaths(await list('')), ['conversationId']);
    const wrong = await list('conversationId=&page=x&includeNotes=talvez');
    assert.deepEqual(issuePaths(wrong), ['conversationId', 'includeNotes', 'page']);
    assertRefused(await list('conversationId=cnv_unknown'), 404);
    assertRefused(await list('conversationId=a%20b%2F'), 404);
  });
});
