/**
 * Reactions that say nothing new: one that is taken back, on both networks, and our own, which
 * WEBJS reports under an id that no send was answered with.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus } from '../../../../support/api/answers.ts';
import { freshPhone } from '../../../../support/api.ts';
import { bridgePost, postToShop } from '../../../../support/infra/adapters/network/web/bridge.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { conversationOf, historyOf } from '../../../infra/adapters/network/web/reading.ts';

const OTHER_ID = '3EB0F0E0D0C0B0A0908070';
const FLOWS = [
  {
    ref: 'bye',
    name: 'Até logo',
    triggers: [{ on: 'keyword', keyword: 'tchau' }],
    steps: [{ id: 'end', do: 'end', status: 'resolved' }],
  },
];

const stack = useStack();
const { org, webjs } = useOrganizations(stack, { org: { more: { flows: FLOWS } }, webjs: {} });

for (const network of ['cloud', 'web'] as const) {
  describe(`a reaction that is taken back, ${network}`, () => {
    const act = async (phone: string, request: Record<string, unknown>): Promise<string> => {
      const channelId = network === 'cloud' ? org.main : org.shop;
      const answer = await stack.network.control('POST /inbound', {
        ...{ channelId, from: phone },
        ...request,
      });
      return String(Object(answer).id);
    };

    test('reopens nothing, is not unread, and leaves time and preview as they are', async () => {
      const phone = freshPhone();
      const id = await act(phone, { text: 'oi' });
      await act(phone, { reaction: { to: id, emoji: '👍' } });
      await act(phone, { text: 'tchau' });
      const before = await waitUntil('it is resolved', async () => {
        const { conversation } = await conversationOf(stack, org, phone);
        return conversation.status === 'resolved' ? conversation : null;
      });
      await act(phone, { reaction: { to: id, emoji: '' } });
      const history = await historyOf(stack, org, phone);
      assert.deepEqual(history.at(-1)?.reaction, { messageId: history[0]?.id, emoji: '' });
      const { conversation: after } = await conversationOf(stack, org, phone);
      assert.deepEqual(after, before);
      assert.deepEqual([after.unread, after.lastMessagePreview], [3, 'tchau']);
    });

    test('on the phone itself it pauses nothing, and answers nothing', async () => {
      const phone = freshPhone();
      const id = await act(phone, { text: 'oi' });
      await act(phone, { echo: true, reaction: { to: id, emoji: '' } });
      assert.equal((await historyOf(stack, org, phone)).length, 2);
      const { conversation } = await conversationOf(stack, org, phone);
      const { automationPausedUntil, unread, lastMessagePreview } = conversation;
      assert.deepEqual([automationPausedUntil, unread, lastMessagePreview], [null, 1, 'oi']);
    });
  });
}

describe('our own reaction, reported as typed on the phone', () => {
  const typed = async (phone: string, id: string, reaction: { to: string; emoji: string }) => {
    const chat = `${phone}@c.us`;
    const payload = {
      ...{ id: `true_${chat}_${id}`, from: '551140002000@c.us', to: chat, fromMe: true },
      ...{ source: 'app', timestamp: Date.now() / 1000 },
      reaction: { text: reaction.emoji, messageId: `false_${chat}_${reaction.to}` },
    };
    const post = bridgePost(webjs, 'message.reaction', payload);
    assertStatus(await postToShop(stack, webjs, post), 200);
  };
  const reactions = async (phone: string) => {
    const history = await historyOf(stack, webjs, phone);
    return history.filter(({ kind }) => kind === 'reaction').map(({ author }) => author.kind);
  };
  const pausedUntil = async (phone: string) =>
    (await conversationOf(stack, webjs, phone)).conversation.automationPausedUntil;

  test('is one message and no pause; a person’s other one is a message and pauses', async () => {
    const { session, shop, shopKey } = webjs;
    await stack.network.control('POST /engines', { session, engine: 'webjs' });
    const phone = freshPhone();
    const written = await stack.network.control('POST /inbound', {
      ...{ channelId: shop, from: phone, text: 'oi' },
    });
    const to = String(Object(written).id);
    const [theirs] = await historyOf(stack, webjs, phone);
    const reaction = { messageId: theirs?.id, emoji: '❤️' };
    const sent = await stack.send(shopKey, { phone, reaction });
    await stack.messageIn(shopKey, sent, 'sent');
    await typed(phone, OTHER_ID, { to, emoji: '❤' });
    await typed(phone, OTHER_ID, { to, emoji: '❤' });
    assert.deepEqual(await reactions(phone), ['automation']);
    assert.equal(await pausedUntil(phone), null);
    await typed(phone, `${OTHER_ID}1`, { to, emoji: '👍' });
    assert.deepEqual(await reactions(phone), ['automation', 'member']);
    assert.notEqual(await pausedUntil(phone), null);
    await typed(phone, `${OTHER_ID}2`, { to, emoji: '❤️' });
    assert.equal((await reactions(phone)).length, 3, 'since then it is the person’s');
  });
});
