/**
 * Events of the network: contacts' messages, receipts, and webhooks that must not be believed
 * (C2.6, C13.5, D18, D21).
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { assertStatus } from '../../support/api/answers.ts';
import { untilRows } from '../../support/api/content-fixture.ts';
import { assertRefused, freshPhone, type Sent } from '../../support/api.ts';
import {
  type CloudPost,
  cloudPost,
  cloudStatus,
  cloudText,
  type InboundOptions,
} from '../../support/network.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
const { a, b, silent } = useOrganizations(stack, { a: {}, b: {}, silent: {} });

/** The contact writes, over the simulator. */
function write(from: string, text: string, more: Partial<InboundOptions> = {}): Promise<string> {
  return stack.network.inbound({ channelId: a.main, from, text, ...more });
}

function hook(channelId: string, { body, headers }: CloudPost) {
  return stack.request('POST', `/networks/cloud/${channelId}`, { body, headers });
}

function signed(value: Record<string, unknown>, of = a): CloudPost {
  return cloudPost(of.appSecret, of.phoneNumberId, value);
}

async function conversationOf(phone: string, { key } = a) {
  const contact = await stack.contact(key, phone);
  assert.ok(contact, `${phone} is a contact`);
  const { data } = await stack.conversations(key, `?contactId=${contact.id}`);
  const [conversation] = data;
  assert.ok(conversation && data.length === 1, 'there is one conversation');
  return { contact, conversation };
}

async function textsOf(phone: string): Promise<(string | null)[]> {
  const { conversation } = await conversationOf(phone);
  const history = await stack.history(a.key, conversation.id);
  return history.map(({ text }) => text).reverse();
}

describe('a contact writes (decisions: Behaviour)', () => {
  test('makes the contact with the profile name, the conversation, one unread message', async () => {
    const phone = freshPhone();
    const externalId = await write(phone, 'Bom dia', { name: 'Joana' });
    const { contact, conversation } = await conversationOf(phone);
    assert.deepEqual([contact.name, contact.source], ['Joana', 'contact']);
    assert.deepEqual(
      [conversation.status, conversation.unread, conversation.lastMessagePreview],
      ['open', 1, 'Bom dia'],
    );
    assert.equal(conversation.contact.name, 'Joana');
    const [message, ...others] = await stack.history(a.key, conversation.id);
    assert.deepEqual(others, []);
    const { id: _, createdAt: __, ...rest } = message ?? {};
    assert.deepEqual(rest, {
      direction: 'in',
      kind: 'text',
      text: 'Bom dia',
      media: null,
      author: { kind: 'contact', label: 'Joana' },
      status: 'received',
      receipts: { sent: null, delivered: null, read: null },
      externalId,
      replyToId: null,
      transcript: null,
    });
  });

  test('unread counts the contact’s messages since the last one sent', async () => {
    const phone = freshPhone();
    for (const text of ['1', '2', '3']) await write(phone, text);
    assert.equal((await conversationOf(phone)).conversation.unread, 3);
    await stack.send(a.key, { channelId: a.main, phone, text: 'resposta' });
    assert.equal((await conversationOf(phone)).conversation.unread, 0);
    await write(phone, '4');
    assert.equal((await conversationOf(phone)).conversation.unread, 1);
  });

  test('a profile name fills an empty name and never overwrites one', async () => {
    const phone = freshPhone();
    await stack.send(a.key, { channelId: a.main, phone, text: 'oi' });
    await write(phone, 'a', { name: 'Perfil' });
    assert.equal((await conversationOf(phone)).contact.name, 'Perfil');
    const body = { phone, name: 'Escolhido' };
    await stack.request('POST', '/api/v1/contacts', { key: a.key, body });
    await write(phone, 'b', { name: 'Outro' });
    const { contact, conversation } = await conversationOf(phone);
    assert.deepEqual([contact.name, conversation.contact.name], ['Escolhido', 'Escolhido']);
  });

  test('without the ninth digit it is the same person, and is answered under the network’s own id', async () => {
    const phone = freshPhone();
    const networkId = `${phone.slice(0, 4)}${phone.slice(5)}`;
    await stack.request('POST', '/api/v1/contacts', { key: a.key, body: { phone, name: 'Nono' } });
    await write(networkId, 'sem o nove');
    const { conversation } = await conversationOf(phone);
    assert.equal(conversation.contact.phone, phone);
    await stack.send(a.key, { channelId: a.main, phone, text: 'resposta' });
    await untilRows(stack, networkId, 1);
  });

  test('over the web network too', async () => {
    const phone = freshPhone();
    await stack.network.inbound({ channelId: a.shop, from: phone, text: 'oi', name: 'Web' });
    const { contact, conversation } = await conversationOf(phone);
    assert.deepEqual([contact.name, conversation.channel.provider], ['Web', 'web']);
  });

  test('what a person types on the phone is in the history and pauses automation', async () => {
    const phone = freshPhone();
    const before = Date.now();
    await write(phone, 'pergunta');
    await write(phone, 'resposta da pessoa', { echo: true });
    const { conversation } = await conversationOf(phone);
    const [newest] = await stack.history(a.key, conversation.id);
    assert.deepEqual(
      [newest?.direction, newest?.author.kind, newest?.text, newest?.status],
      ['out', 'member', 'resposta da pessoa', 'sent'],
    );
    // The network tells the time in seconds.
    const from = Date.parse(conversation.automationPausedUntil ?? '') - 30 * 60_000;
    assert.ok(from > before - 1_000 && from <= Date.now(), `${from - before}`);
    assert.equal(conversation.unread, 0);
  });
});

describe('duplicates and disorder are harmless', () => {
  test('the same message posted five times, also at once, is one message', async () => {
    const phone = freshPhone();
    const post = signed({ messages: [cloudText(phone, `wamid.dup-${phone}`, 'uma vez')] });
    assertStatus(await hook(a.main, post), 200);
    const again = await Promise.all([1, 2, 3, 4].map(() => hook(a.main, post)));
    assert.deepEqual(pluck(again, 'status'), [200, 200, 200, 200]);
    assert.deepEqual(await textsOf(phone), ['uma vez']);
    assert.equal((await conversationOf(phone)).conversation.unread, 1);
  });

  test('ten simultaneous posts of a new contact’s first message make one of everything', async () => {
    const phone = freshPhone();
    const post = signed({ messages: [cloudText(phone, `wamid.race-${phone}`, 'corrida')] });
    const answers = await Promise.all(Array.from({ length: 10 }, () => hook(a.main, post)));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.deepEqual(await textsOf(phone), ['corrida']);
  });

  test('a batch is taken whole and in its order, odd entries cost themselves only', async () => {
    const [one, two] = [freshPhone(), freshPhone()];
    const messages = [
      ...[1, 2, 3].map((n) => cloudText(one, `wamid.b${n}-${one}`, `um ${n}`)),
      { nothing: true },
      ...[1, 2].map((n) => cloudText(two, `wamid.b${n}-${two}`, `dois ${n}`)),
      cloudText(one, `wamid.b2-${one}`, 'um 2'),
    ];
    assertStatus(await hook(a.main, signed({ messages })), 200);
    assert.deepEqual(await textsOf(one), ['um 1', 'um 2', 'um 3']);
    assert.deepEqual(await textsOf(two), ['dois 1', 'dois 2']);
  });

  async function withoutReceipts(): Promise<{ sent: Sent; to: string; externalId: string }> {
    const { phoneNumberId } = silent;
    await stack.network.fault({ phoneNumberId, dropReceipts: true });
    const phone = freshPhone();
    const body = { channelId: silent.main, phone, text: 'recibos' };
    const sent = await stack.send(silent.key, body);
    const { externalId } = await stack.messageIn(silent.key, sent, 'sent');
    return { sent, to: phone, externalId: externalId ?? '' };
  }

  async function receive(of: Awaited<ReturnType<typeof withoutReceipts>>, steps: string[]) {
    const { sent, to, externalId } = of;
    for (const step of steps) {
      const status = cloudStatus(externalId, step, { to, messageId: sent.messageId });
      assertStatus(await hook(silent.main, signed({ statuses: [status] }, silent)), 200);
    }
    const [message] = await stack.history(silent.key, sent.conversationId);
    assert.ok(message);
    return message;
  }

  test('receipts in any order and twice: the ladder never goes down', async () => {
    const steps = ['read', 'sent', 'delivered', 'read', 'sent'];
    const message = await receive(await withoutReceipts(), steps);
    assert.equal(message.status, 'read');
    assert.ok(message.receipts.sent && message.receipts.delivered && message.receipts.read);
  });

  test('read alone fills delivered; failed after delivered changes nothing', async () => {
    const read = await receive(await withoutReceipts(), ['read']);
    assert.ok(read.receipts.delivered && read.receipts.read);
    const delivered = await receive(await withoutReceipts(), ['delivered', 'failed']);
    assert.deepEqual([delivered.status, delivered.error], ['delivered', undefined]);
    assert.equal(delivered.receipts.read, null);
  });

  test('a status of a message that nobody sent here is taken and forgotten', async () => {
    const status = cloudStatus('wamid.unknown', 'read', { to: freshPhone() });
    assert.equal((await hook(a.main, signed({ statuses: [status] }))).status, 200);
    const foreign = cloudStatus('wamid.unknown', 'read', {
      to: freshPhone(),
      messageId: 'msg_unknown',
    });
    assert.equal((await hook(a.main, signed({ statuses: [foreign] }))).status, 200);
  });
});

describe('webhooks that are not the network’s (interfaces: Without a key)', () => {
  test('a missing, wrong or other channel’s signature is 401 and nothing is stored', async () => {
    const phone = freshPhone();
    const value = { messages: [cloudText(phone, `wamid.evil-${phone}`, 'falso')] };
    const { body, headers } = signed(value);
    const signature = headers['x-hub-signature-256'] ?? '';
    const wrong: Record<string, string>[] = [
      {},
      { 'x-hub-signature-256': '' },
      { 'x-hub-signature-256': signature.slice('sha256='.length) },
      { 'x-hub-signature-256': `${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}` },
      { 'x-hub-signature-256': signature.replace('sha256', 'sha1') },
      { 'x-hub-signature-256': 'sha256=zz' },
      cloudPost(b.appSecret, a.phoneNumberId, value).headers,
    ];
    for (const each of wrong) assertRefused(await hook(a.main, { body, headers: each }), 401);
    assertRefused(await hook(a.main, { body: `${body} `, headers }), 401);
    assert.equal(await stack.contact(a.key, phone), null);
  });

  test('entries of another phone number are not taken, an unknown channel is 404', async () => {
    const phone = freshPhone();
    const value = { messages: [cloudText(phone, `wamid.other-${phone}`, 'x')] };
    assertStatus(await hook(a.main, cloudPost(a.appSecret, b.phoneNumberId, value)), 200);
    assert.equal(await stack.contact(a.key, phone), null);
    assertRefused(await hook('chn_unknown', signed(value)), 404);
    assertRefused(await hook(a.shop, signed(value)), 404);
  });

  test('a signed body that is not JSON is 400', async () => {
    const body = '{"object":';
    const signature = createHmac('sha256', a.appSecret).update(body).digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${signature}` };
    assertRefused(await hook(a.main, { body, headers }), 400);
  });

  test('the web network’s HMAC is checked the same way', async () => {
    const phone = freshPhone();
    const payload = {
      id: `false_${phone}@c.us_X`,
      from: `${phone}@c.us`,
      fromMe: false,
      body: 'x',
    };
    const body = JSON.stringify({ event: 'message', session: a.session, payload });
    const headers = { 'x-webhook-hmac': 'ab'.repeat(64), 'x-webhook-hmac-algorithm': 'sha512' };
    for (const each of [{}, headers]) {
      const call = { body, headers: each };
      assertRefused(await stack.request('POST', `/networks/web/${a.shop}`, call), 401);
    }
    assert.equal(await stack.contact(a.key, phone), null);
  });

  test('the verification challenge comes back as plain text; a wrong token is 403', async () => {
    const path = (token: string, mode = 'subscribe') =>
      `/networks/cloud/${a.main}?hub.mode=${mode}&hub.verify_token=${token}&hub.challenge=42<b>`;
    const good = await stack.request('GET', path(a.verifyToken));
    assert.deepEqual([good.status, good.text], [200, '42<b>']);
    assert.match(good.headers.get('content-type') ?? '', /^text\/plain/);
    for (const wrong of [path('wrong'), path(b.verifyToken), path(''), path(a.verifyToken, 'x')]) {
      assertRefused(await stack.request('GET', wrong), 403);
    }
  });
});
