/** POST /api/v1/messages/{id}/read, what the contact sees of it, and calls of contacts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Message, MessageAnswer } from '../../../shared/api/message.ts';
import { parseAnswer } from '../../support/api/answers.ts';
import { type Answer, assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const stack = useStack();
const { a, other } = useOrganizations(stack, { a: {}, other: {} });

type Written = Message & { readonly externalId: string };

/** A contact's conversation and its messages, oldest first. */
async function written(channelId: string, phone: string, texts: readonly string[]) {
  for (const text of texts) await stack.network.inbound({ channelId, from: phone, text });
  const contact = await stack.contact(a.key, phone);
  const [conversation] = (await stack.conversations(a.key, `?contactId=${contact?.id}`)).data;
  assert.ok(conversation);
  const messages = (await stack.history(a.key, conversation.id)).reverse();
  return { conversation, messages: messages as readonly Written[] };
}

function read(id: string, key = a.key): Promise<Answer> {
  return stack.call('POST', `/api/v1/messages/${id}/read`, { key });
}

async function unreadOf(conversationId: string): Promise<number | undefined> {
  const { data } = await stack.conversations(a.key, '?limit=200');
  return data.find(({ id }) => id === conversationId)?.unread;
}

/** The messages that the contact sees as read, once there are so many. */
function seenBy(phone: string, count: number) {
  return waitUntil(`${phone} sees ${count} marks`, async () => {
    const marks = await stack.network.shown(phone);
    return marks.length >= count ? marks.map(({ kind, messageId }) => [kind, messageId]) : null;
  });
}

describe('POST /api/v1/messages/{id}/read', () => {
  test('a message and those before it are read, here and at the network', async () => {
    const phone = freshPhone();
    const { conversation, messages } = await written(a.main, phone, ['um', 'dois', 'três']);
    const [, second, third] = messages;
    assert.ok(second && third);
    assert.equal(conversation.unread, 3);
    assert.deepEqual(parseAnswer(await read(second.id), MessageAnswer).data, second);
    assert.equal(await unreadOf(conversation.id), 1);
    assert.deepEqual(await seenBy(phone, 1), [['read', second.externalId]]);
    assert.equal((await read(third.id)).status, 200);
    assert.equal(await unreadOf(conversation.id), 0);
    assert.deepEqual((await seenBy(phone, 2)).at(-1), ['read', third.externalId]);
  });

  test('an answer leaves nothing unread here, and the network is told when it is asked', async () => {
    const phone = freshPhone();
    const { conversation, messages } = await written(a.main, phone, ['oi']);
    await stack.send(a.mainKey, { conversationId: conversation.id, text: 'olá' });
    assert.equal(await unreadOf(conversation.id), 0);
    assert.deepEqual(await stack.network.shown(phone), []);
    const entries = (await stack.history(a.key, conversation.id)).length;
    assert.equal((await read(messages[0]?.id ?? '')).status, 200);
    assert.deepEqual(await seenBy(phone, 1), [['read', messages[0]?.externalId]]);
    assert.equal((await stack.history(a.key, conversation.id)).length, entries);
  });

  test('on web each message that was unread is marked', async () => {
    const phone = freshPhone();
    const { conversation, messages } = await written(a.shop, phone, ['um', 'dois']);
    assert.equal((await read(messages[1]?.id ?? '', a.shopKey)).status, 200);
    assert.equal(await unreadOf(conversation.id), 0);
    const marks = await seenBy(phone, 1);
    assert.ok(marks.every(([kind]) => kind === 'read'));
  });

  test('a repeat changes nothing', async () => {
    const { conversation, messages } = await written(a.main, freshPhone(), ['um']);
    const [message] = messages;
    assert.ok(message);
    const answers = await Promise.all([read(message.id), read(message.id), read(message.id)]);
    assert.deepEqual(pluck(answers, 'status'), [200, 200, 200]);
    assert.equal(await unreadOf(conversation.id), 0);
  });

  test('a message that was sent is 422, another channel’s 403, an unknown one 404', async () => {
    const phone = freshPhone();
    const { messages } = await written(a.main, phone, ['oi']);
    const id = messages[0]?.id ?? '';
    const sent = await stack.send(a.key, { channelId: a.main, phone, text: 'olá' });
    assert.deepEqual(issuePaths(await read(sent.messageId)), ['id']);
    assertRefused(await read(id, a.shopKey), 403);
    assertRefused(await read(id, other.key), 404);
    assertRefused(await read('msg_unknown'), 404);
    assertRefused(await read(sent.conversationId), 404);
    assert.equal(
      (await stack.call('GET', `/api/v1/messages/${id}/read`, { key: a.key })).status,
      405,
    );
  });
});

describe('a contact’s call', () => {
  test('begins a conversation without a message; its end adds nothing', async () => {
    const phone = freshPhone();
    const id = `wacid.${phone}`;
    for (const event of ['connect', 'terminate'] as const) {
      await stack.network.call({ channelId: a.main, from: phone, call: { event, id } });
    }
    const { conversation, messages } = await written(a.main, phone, []);
    assert.deepEqual(messages, []);
    const { unread, status, lastMessagePreview } = conversation;
    assert.deepEqual(
      { unread, status, lastMessagePreview },
      { ...{ unread: 0, status: 'open', lastMessagePreview: '' } },
    );
    await stack.send(a.key, { channelId: a.main, phone, text: 'vimos a sua ligação' });
    const after = await written(a.main, phone, []);
    assert.equal(after.conversation.id, conversation.id);
    assert.equal(after.messages.length, 1);
  });

  test('in a conversation changes nothing that is shown', async () => {
    const phone = freshPhone();
    const before = await written(a.main, phone, ['oi']);
    await stack.network.call({ channelId: a.main, from: phone, call: { event: 'connect' } });
    const after = await written(a.main, phone, []);
    // A call opens the window anew, a second or more after the message did.
    const { windowExpiresAt: _before, ...shown } = before.conversation;
    const { windowExpiresAt: _after, ...shownAfter } = after.conversation;
    assert.deepEqual(shownAfter, shown);
    assert.deepEqual(after.messages, before.messages);
  });
});
