/** Lists of conversations (C4.7). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshPhone, issuePaths, type Sent } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
const { a, pages } = useOrganizations(stack, { a: {}, pages: {} });

function send(phone: string, text: string): Promise<Sent> {
  return stack.send(a.key, { channelId: a.main, phone, text });
}

const CONVERSATION_FIELDS = [
  'id,status,channel,contact,assignedTo,participants,unread,lastMessageAt,lastMessagePreview',
  'automationPausedUntil,createdAt,windowExpiresAt',
].join();

describe('GET /api/v1/conversations (contract section 4)', () => {
  test('shows the fields of section 2, the last message and no unread', async () => {
    const phone = freshPhone();
    await stack.call('POST', '/api/v1/contacts', { key: a.key, body: { phone, name: 'Ida' } });
    const { conversationId } = await send(phone, 'a última');
    const contact = await stack.contact(a.key, phone);
    const [conversation] = (await stack.conversations(a.key, `?contactId=${contact?.id}`)).data;
    assert.ok(conversation);
    assert.equal(Object.keys(conversation).join(), CONVERSATION_FIELDS);
    const { createdAt, lastMessageAt, ...rest } = conversation;
    assert.deepEqual(rest, {
      id: conversationId,
      status: 'open',
      channel: { id: a.main, label: 'Atendimento', provider: 'cloud' },
      contact: { id: contact?.id, phone, name: 'Ida' },
      assignedTo: null,
      participants: [],
      unread: 0,
      lastMessagePreview: 'a última',
      automationPausedUntil: null,
      windowExpiresAt: null,
    });
    assert.ok(createdAt <= String(lastMessageAt));
  });

  test('newest message first, each right after its 201, pages neither repeat nor skip', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) {
      const phone = freshPhone();
      const body = { channelId: pages.main, phone, text: `${index}` };
      const { conversationId } = await stack.send(pages.key, body);
      ids.unshift(conversationId);
      const { data, total } = await stack.conversations(pages.key, '?limit=1');
      assert.deepEqual([data[0]?.id, total], [conversationId, index + 1]);
    }
    const oldest = ids.pop() ?? '';
    await stack.send(pages.mainKey, { conversationId: oldest, text: 'de novo' });
    ids.unshift(oldest);
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const answer = await stack.conversations(pages.key, `?limit=5&page=${page}`);
      assert.deepEqual([answer.page, answer.limit, answer.total], [page, 5, 12]);
      seen.push(...answer.data.map(({ id }) => id));
    }
    assert.deepEqual(seen, ids);
  });

  test('filters by status, channel and contact; an invalid status is 422', async () => {
    const { total: open } = await stack.conversations(pages.key, '?status=open');
    assert.equal(open, 12);
    for (const query of ['?status=resolved', '?status=in_flow', '?contactId=ctc_unknown']) {
      assert.deepEqual((await stack.conversations(pages.key, query)).data, [], query);
    }
    const ofMain = await stack.conversations(pages.key, `?channelId=${pages.main}&status=open`);
    assert.equal(ofMain.total, 12);
    assert.equal((await stack.conversations(pages.key, `?channelId=${pages.shop}`)).total, 0);
    const path = '/api/v1/conversations?status=closed&limit=0&page=0';
    const answer = await stack.request('GET', path, { key: pages.key });
    assert.deepEqual(issuePaths(answer), ['limit', 'page', 'status']);
  });
});
