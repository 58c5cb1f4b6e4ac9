/** Lists of conversations (C4.7), notes in them, and their changes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { ConversationAnswer, WriteNoteAnswer } from '../../../shared/api/conversation.ts';
import { IdentitySchema } from '../../../shared/api/identity.ts';
import { GetMessageAnswer } from '../../../shared/api/message.ts';
import { parseAnswer } from '../../support/api/answers.ts';
import { assertRefused, freshPhone, issuePaths, type Sent } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
const MEMBERS = [
  { ref: 'ana', name: 'Ana' },
  { ref: 'bia', name: 'Bia' },
  { ref: 'caio', name: 'Caio', role: 'viewer' },
];
const { a, pages } = useOrganizations(stack, { a: { more: { members: MEMBERS } }, pages: {} });

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

describe('POST /api/v1/conversations/{id}/notes (D421)', () => {
  const note = (id: string, body: object, key = a.key) =>
    stack.call('POST', `/api/v1/conversations/${id}/notes`, { key, body });
  const one = async (id: string) =>
    (await stack.call('GET', `/api/v1/conversations/${id}`, { key: a.key })).json;

  test('writes a note under the name of the key, and changes nothing else', async () => {
    const phone = freshPhone();
    const { conversationId } = await send(phone, 'Olá');
    await stack.network.inbound({ channelId: a.main, from: phone, text: 'Oi' });
    const before = await one(conversationId);
    const answer = await note(conversationId, { text: 'Pediu segunda via' });
    const { data } = parseAnswer(answer, WriteNoteAnswer, 201);
    assert.equal(data.conversationId, conversationId);
    assert.deepEqual(await one(conversationId), before);
    const path = `/api/v1/messages/${data.messageId}`;
    const shown = await stack.call('GET', path, { key: a.key });
    const { data: message } = parseAnswer(shown, GetMessageAnswer);
    const me = await stack.call('GET', '/api/v1/me', { key: a.key });
    const { token } = v.parse(v.object({ data: IdentitySchema }), me.json).data;
    assert.deepEqual(message.author, { kind: 'automation', label: token.name });
    assert.deepEqual([message.direction, message.text], ['note', 'Pediu segunda via']);
    const history = await stack.history(a.key, conversationId);
    assert.ok(!history.some(({ id }) => id === data.messageId), 'only where notes are asked for');
  });

  test('takes 1 to 4096 characters, and one note under one Idempotency-Key', async () => {
    const { conversationId } = await send(freshPhone(), 'Olá');
    assert.deepEqual(issuePaths(await note(conversationId, {})), ['text']);
    assert.deepEqual(issuePaths(await note(conversationId, { text: '' })), ['text']);
    assert.deepEqual(issuePaths(await note(conversationId, { text: 'x'.repeat(4097) })), ['text']);
    const body = { text: 'x'.repeat(4096) };
    const headers = { 'idempotency-key': 'nota-1' };
    const path = `/api/v1/conversations/${conversationId}/notes`;
    const repeat = () => stack.call('POST', path, { key: a.key, body, headers });
    const [first, again] = [await repeat(), await repeat()];
    assert.deepEqual([first.status, again.text], [201, first.text]);
  });

  test('refuses another channel’s with 403, an unknown one with 404', async () => {
    const { conversationId } = await send(freshPhone(), 'Olá');
    const body = { text: 'Nota' };
    assertRefused(await note(conversationId, body, a.shopKey), 403);
    assert.equal((await note(conversationId, body, a.mainKey)).status, 201);
    const foreign = await note(conversationId, body, pages.key);
    const unknown = await note('cnv_none', body, pages.key);
    assertRefused(foreign, 404);
    assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text]);
  });
});

describe('POST /api/v1/conversations/{id} (D428)', () => {
  const DAY_MS = 24 * 60 * 60 * 1_000;
  const change = (id: string, body: object, key = a.key) =>
    stack.call('POST', `/api/v1/conversations/${id}`, { key, body });
  const changed = async (id: string, body: object) =>
    parseAnswer(await change(id, body), ConversationAnswer).data;
  const one = async (id: string) => {
    const answer = await stack.call('GET', `/api/v1/conversations/${id}`, { key: a.key });
    return parseAnswer(answer, ConversationAnswer).data;
  };
  const begun = async () => (await send(freshPhone(), 'Olá')).conversationId;
  const later = (ms: number) => new Date(Date.now() + ms).toISOString();

  test('changes all that it names at once, and answers the conversation', async () => {
    const { ana = '', bia = '' } = a.applied.members;
    const id = await begun();
    const until = later(DAY_MS);
    const all = { assignedTo: ana, participants: [bia], status: 'resolved' };
    const told = await changed(id, { ...all, automationPausedUntil: until });
    assert.deepEqual(told, { ...(await one(id)), ...all, participants: [bia, ana] });
    assert.equal(told.automationPausedUntil, until);
    assert.deepEqual(await changed(id, { participants: [] }), { ...told, participants: [] });
    const open = { assignedTo: null, status: 'open', automationPausedUntil: null };
    assert.deepEqual(await changed(id, open), { ...told, ...open, participants: [] });
    assert.deepEqual(await changed(id, open), { ...told, ...open, participants: [] });
  });

  test('refuses at the field: nobody of the team, a viewer, a moment out of range', async () => {
    const { ana = '', caio = '' } = a.applied.members;
    const id = await begun();
    const before = await one(id);
    const wrong: readonly (readonly [object, readonly string[]])[] = [
      [{}, ['']],
      [{ assignedTo: 'mbr_none' }, ['assignedTo']],
      [{ assignedTo: caio }, ['assignedTo']],
      [{ assignedTo: ana, participants: [ana, caio, 'x'] }, ['participants.1', 'participants.2']],
      [{ participants: Array.from({ length: 51 }, () => ana) }, ['participants']],
      [{ status: 'in_flow' }, ['status']],
      [{ automationPausedUntil: later(-DAY_MS) }, ['automationPausedUntil']],
      [{ automationPausedUntil: later(366 * DAY_MS) }, ['automationPausedUntil']],
      [{ automationPausedUntil: 'amanhã', status: 'resolved' }, ['automationPausedUntil']],
    ];
    for (const [body, paths] of wrong) {
      assert.deepEqual(issuePaths(await change(id, body)), paths, JSON.stringify(body));
    }
    assert.deepEqual(await one(id), before);
  });

  test('refuses another channel’s with 403, an unknown one with 404', async () => {
    const id = await begun();
    const body = { status: 'resolved' };
    assertRefused(await change(id, body, a.shopKey), 403);
    assert.equal((await change(id, body, a.mainKey)).status, 200);
    const foreign = await change(id, body, pages.key);
    const unknown = await change('cnv_none', body, pages.key);
    assertRefused(foreign, 404);
    assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text]);
  });
});
