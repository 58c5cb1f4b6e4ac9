/**
 * The second network, `web`, end to end: sends and their receipts, contacts that write, people
 * whose phone is hidden (C13.1, D17, D54).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalId } from '../../../../../../infra/adapters/network/web/message-id.ts';
import { assertStatus } from '../../../../../support/api/answers.ts';
import { assertRefused, freshPhone } from '../../../../../support/api.ts';
import {
  bridgePost,
  postToShop,
} from '../../../../../support/infra/adapters/network/web/bridge.ts';
import { pluck, pluckRows } from '../../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { arrived, conversationOf, historyOf } from './reading.ts';

const stack = useStack();
const { a, b } = useOrganizations(stack, { a: {}, b: {} });

function send(phone: string, text: string, org = a) {
  return stack.send(org.shopKey, { phone, text });
}

function write(from: string, text: string, more: Record<string, unknown> = {}) {
  return stack.network.control('POST /inbound', { channelId: a.shop, from, text, ...more });
}

describe('sending over web', () => {
  test('messages of a conversation arrive in the order of their 201s, and are read', async () => {
    const phone = freshPhone();
    const texts = Array.from({ length: 8 }, (_, index) => `mensagem ${index}`);
    const sent = [];
    for (const text of texts) sent.push(await send(phone, text));
    for (const each of sent) await stack.messageIn(a.shopKey, each, 'read');
    assert.deepEqual(await arrived(stack, phone), texts);
    const history = await historyOf(stack, a, phone);
    const onNetwork = await stack.network.sent(phone);
    assert.deepEqual(
      pluck(history, 'externalId'),
      onNetwork.map(({ externalId }) => canonicalId(externalId)),
    );
    for (const { receipts } of history) {
      assert.ok(receipts.sent && receipts.delivered && receipts.read);
      assert.ok(receipts.sent <= receipts.delivered && receipts.delivered <= receipts.read);
    }
  });

  test('acks that come before the answer to the send are kept and applied', async () => {
    await stack.network.fault({ session: a.session, delayMs: 1_500, times: 1 });
    const phone = freshPhone();
    const sent = await send(phone, 'a resposta demora');
    await waitUntil('it arrived', async () => (await arrived(stack, phone)).length === 1);
    const message = await stack.messageIn(a.shopKey, sent, 'read');
    assert.ok(message.receipts.delivered);
    assert.deepEqual(await arrived(stack, phone), ['a resposta demora']);
  });

  test('an ack of a message that nobody here sent is taken and changes nothing', async () => {
    const phone = freshPhone();
    const id = `true_${phone}@c.us_3EB0FOREIGN`;
    const post = bridgePost(a, 'message.ack', { id, from: `${phone}@c.us`, fromMe: true, ack: 3 });
    assert.equal((await postToShop(stack, a, post)).status, 200);
    assert.equal(await stack.contact(a.key, phone), null);
  });

  test('what the network reports as failed (ack -1) is failed, with a Portuguese reason', async () => {
    await stack.network.fault({ session: a.session, failReceiptCode: 1, times: 1 });
    const message = await stack.messageIn(a.shopKey, await send(freshPhone(), 'x'), 'failed');
    assert.match(message.error?.message ?? '', /^A rede não entregou/);
  });

  test('who is registered without the ninth digit is sent to under that number', async () => {
    const [known, asked] = ['553188887701', '5531988887701'];
    await stack.network.control('POST /inbound', { channelId: b.shop, from: known, text: 'oi' });
    await stack.messageIn(a.shopKey, await send(asked, 'primeira'), 'read');
    assert.deepEqual(await arrived(stack, known), ['primeira']);
    assert.deepEqual(await arrived(stack, asked), []);
    const { contact } = await conversationOf(stack, a, asked);
    assert.equal(contact.phone, asked, 'and is known by the canonical one');
  });
});

describe('a contact writes over web', () => {
  test('message and message.any of the same message, repeated, are one message', async () => {
    const phone = freshPhone();
    const id = `false_${phone}@c.us_3EB0TWICE`;
    const timestamp = Math.floor(Date.now() / 1000);
    const payload = {
      id,
      from: `${phone}@c.us`,
      fromMe: false,
      source: 'app',
      body: 'oi',
      timestamp,
    };
    const events = ['message', 'message.any', 'message.any', 'message'];
    const answers = await Promise.all(
      events.map((event) => postToShop(stack, a, bridgePost(a, event, payload))),
    );
    assert.deepEqual(pluck(answers, 'status'), [200, 200, 200, 200]);
    const history = await historyOf(stack, a, phone);
    assert.deepEqual(pluckRows(history, 'text', 'externalId'), [['oi', canonicalId(id)]]);
  });

  test('a number without the ninth digit is the same contact, and the one answered to', async () => {
    const phone = freshPhone();
    const networkId = `${phone.slice(0, 4)}${phone.slice(5)}`;
    await send(phone, 'antes');
    await write(networkId, 'sem o nove');
    const { conversation } = await conversationOf(stack, a, phone);
    assert.equal(conversation.contact.phone, phone);
    await stack.messageIn(a.shopKey, await send(phone, 'resposta'), 'read');
    assert.deepEqual(await arrived(stack, networkId), ['resposta']);
  });

  test('a hidden sender whose phone comes with the message is known by the phone', async () => {
    const phone = freshPhone();
    await write('70000000001@lid', 'oculto', { phoneShown: phone });
    assert.equal((await historyOf(stack, a, phone))[0]?.text, 'oculto');
    await stack.messageIn(a.shopKey, await send(phone, 'resposta'), 'read');
    assert.deepEqual(await arrived(stack, phone), ['resposta']);
  });

  test('a hidden sender whose phone the bridge knows is known by the phone', async () => {
    const phone = freshPhone();
    await send(phone, 'antes');
    await write('70000000002@lid', 'oculto', { phoneKnown: phone });
    const texts = (await historyOf(stack, a, phone)).map(({ text }) => text);
    assert.deepEqual(texts, ['antes', 'oculto']);
  });

  test('who stays hidden is a contact with an empty phone, and can be answered', async () => {
    const lid = '70000000003@lid';
    await write(lid, 'ninguém sabe', { name: 'Oculta' });
    await write(lid, 'de novo', { name: 'Oculta' });
    const { data } = await stack.conversations(a.key, `?channelId=${a.shop}`);
    const [conversation, ...others] = data.filter((each) => each.contact.name === 'Oculta');
    assert.ok(conversation && others.length === 0);
    assert.equal(conversation.contact.phone, '');
    const body = { conversationId: conversation.id, text: 'resposta' };
    await stack.messageIn(a.shopKey, await stack.send(a.shopKey, body), 'read');
    assert.deepEqual(await arrived(stack, lid), ['resposta']);
  });

  test('groups, broadcasts and events of no interest are taken and make nobody', async () => {
    const before = (await stack.conversations(a.key)).total;
    for (const from of ['120363@g.us', 'status@broadcast', '1@newsletter']) {
      const payload = { id: `false_${from}_3EB0`, from, fromMe: false, body: 'x' };
      assertStatus(await postToShop(stack, a, bridgePost(a, 'message.any', payload)), 200);
    }
    assertStatus(await postToShop(stack, a, bridgePost(a, 'presence.update', { id: 'x' })), 200);
    assert.equal((await stack.conversations(a.key)).total, before);
  });
});

describe('a bridge’s event that is not the bridge’s (interfaces: Without a key)', () => {
  test('a wrong, missing or other channel’s HMAC is 401, and nothing is stored', async () => {
    const phone = freshPhone();
    const payload = {
      id: `false_${phone}@c.us_E`,
      from: `${phone}@c.us`,
      fromMe: false,
      body: 'x',
    };
    const { body, headers } = bridgePost(a, 'message.any', payload);
    const hmac = headers['x-webhook-hmac'] ?? '';
    const wrong: Record<string, string>[] = [
      {},
      { ...headers, 'x-webhook-hmac': '' },
      { ...headers, 'x-webhook-hmac': hmac.slice(2) },
      { ...headers, 'x-webhook-hmac': 'ab'.repeat(64) },
      { ...headers, 'x-webhook-hmac-algorithm': 'sha256' },
      { ...bridgePost(b, 'message.any', payload).headers },
    ];
    for (const each of wrong) {
      assertRefused(await postToShop(stack, a, { body, headers: each }), 401);
    }
    assertRefused(await postToShop(stack, a, { body: `${body} `, headers }), 401);
    assert.equal(await stack.contact(a.key, phone), null);
  });
});
