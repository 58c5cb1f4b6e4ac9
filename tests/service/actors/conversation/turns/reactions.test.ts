/** Reactions that say nothing new: those that are taken back, on both networks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshPhone } from '../../../../support/api.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { conversationOf, historyOf } from '../../../infra/adapters/network/web/reading.ts';

const FLOWS = [
  {
    ref: 'bye',
    name: 'Até logo',
    triggers: [{ on: 'keyword', keyword: 'tchau' }],
    steps: [{ id: 'end', do: 'end', status: 'resolved' }],
  },
];

const stack = useStack();
const { org } = useOrganizations(stack, { org: { more: { flows: FLOWS } } });

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
