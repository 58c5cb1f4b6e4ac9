/**
 * Messages that come late, over the network's own webhooks and through the API: the history is the
 * newest first by `createdAt`, exact to 5 s (C4.8, D406), and a scheduled message stands where it
 * was released (D407).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertStatus } from '../../../../support/api/answers.ts';
import { freshPhone } from '../../../../support/api.ts';
import { cloudPost } from '../../../../support/network.ts';
import { useDatabase, useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { conversationOf } from '../../../infra/adapters/network/web/reading.ts';

const TOLERANCE_MS = 5_000;
const MINUTE_S = 60;
/** Longer than what counts as late. */
const SCHEDULED_MS = 7_000;

const stack = useStack();
const database = useDatabase(stack);
const { org } = useOrganizations(stack, { org: {} });

/** The contact wrote so many seconds ago, and the network tells it now. */
async function told(from: string, text: string, secondsAgo: number): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000) - secondsAgo);
  const id = `wamid.${text}-${from}`;
  const messages = [{ from, id, timestamp, type: 'text', text: { body: text } }];
  const post = cloudPost(org.appSecret, org.phoneNumberId, { messages });
  assertStatus(await stack.request('POST', `/networks/cloud/${org.main}`, { ...post }), 200);
}

interface Row {
  readonly text: string | null;
  readonly createdAt: string;
  readonly receivedAt?: string;
  readonly releasedAt?: string;
}

/** Newest first, page by page. */
async function listed(conversationId: string, limit: number) {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const path = `/api/v1/messages?conversationId=${conversationId}&limit=${limit}&page=${page}`;
    const { json } = await stack.request('GET', path, { key: org.key });
    const { data, total } = json as { data: typeof rows; total: number };
    rows.push(...data);
    if (page * limit < total) continue;
    assert.equal(rows.length, total);
    return rows;
  }
}

function assertNewestFirst(rows: readonly Row[]): void {
  let oldest = Number.POSITIVE_INFINITY;
  for (const { createdAt, releasedAt = createdAt } of rows) {
    const at = Date.parse(releasedAt);
    assert.ok(at - oldest <= TOLERANCE_MS, JSON.stringify(rows));
    oldest = Math.min(oldest, at);
  }
}

/** The number of keys in the index of places, of which ordinary messages have none. */
async function placesIndexed(): Promise<number> {
  const { db } = database;
  const entries = db.collection('entries');
  const indexes = await entries.indexes();
  const name = indexes.find(({ key }) => 'ownPlace.at' in key)?.name;
  assert.ok(name);
  const walked = entries.find({ ownPlace: { $exists: true } }).hint(name);
  const { executionStats } = await walked.explain('executionStats');
  return executionStats.totalKeysExamined;
}

test('C4.8, D406: a late message stands by its time, is no preview, and tells when it came', async () => {
  const phone = freshPhone();
  const before = await placesIndexed();
  await told(phone, 'primeira', 10 * MINUTE_S);
  await told(phone, 'terceira', 5 * MINUTE_S);
  const { conversation: ordinary } = await conversationOf(stack, org, phone);
  const { messageId } = await stack.send(org.key, { channelId: org.main, phone, text: 'quarta' });
  assert.equal(await placesIndexed(), before, 'messages in their order have no place of their own');
  await told(phone, 'segunda', 8 * MINUTE_S);
  assert.equal(await placesIndexed(), before + 1);
  for (const limit of [1, 2, 3, 100]) {
    const rows = await listed(ordinary.id, limit);
    assert.deepEqual(
      rows.map(({ text }) => text),
      ['quarta', 'terceira', 'segunda', 'primeira'],
    );
    assertNewestFirst(rows);
  }
  const [newest, , late] = await listed(ordinary.id, 100);
  assert.ok(late?.receivedAt !== undefined && newest !== undefined && !('receivedAt' in newest));
  assert.ok(Date.parse(late.receivedAt) - Date.parse(late.createdAt) > 7 * MINUTE_S * 1_000);
  const { conversation } = await conversationOf(stack, org, phone);
  assert.equal(conversation.lastMessagePreview, 'quarta');
  assert.equal(conversation.lastMessageAt, newest.createdAt);
  assert.equal(conversation.unread, 1);
  assert.ok(messageId);
});

test('a read-back of many in disorder is in order, with every page of it', async () => {
  const phone = freshPhone();
  const minutes = [9, 3, 7, 5, 8, 1, 6, 2, 4];
  for (const ago of minutes) await told(phone, `há ${ago}`, ago * MINUTE_S);
  const { conversation } = await conversationOf(stack, org, phone);
  for (const limit of [2, 4, 100]) {
    const texts = (await listed(conversation.id, limit)).map(({ text }) => text);
    assert.deepEqual(
      texts,
      minutes.toSorted((a, b) => a - b).map((ago) => `há ${ago}`),
    );
  }
  assert.equal(conversation.lastMessagePreview, 'há 1');
});

test('D407: a scheduled message has the place of its release, and tells its time', async () => {
  const phone = freshPhone();
  await told(phone, 'bom dia', MINUTE_S);
  const sendAt = new Date(Date.now() + SCHEDULED_MS).toISOString();
  const scheduled = { channelId: org.main, phone, text: 'com hora', sendAt };
  const { conversationId } = await stack.send(org.key, scheduled);
  await stack.send(org.key, { channelId: org.main, phone, text: 'logo depois' });
  const texts = async () => (await listed(conversationId, 2)).map(({ text }) => text);
  assert.deepEqual(await texts(), ['logo depois', 'com hora', 'bom dia']);
  const [, waiting] = await listed(conversationId, 2);
  await waitUntil('it is released', async () => (await texts())[0] === 'com hora');
  const rows = await listed(conversationId, 2);
  assert.deepEqual(
    rows.map(({ text }) => text),
    ['com hora', 'logo depois', 'bom dia'],
  );
  assertNewestFirst(rows);
  assert.ok(Date.parse(rows[0]?.releasedAt ?? '') >= Date.parse(sendAt));
  assert.equal(rows[0]?.createdAt, waiting?.createdAt);
  const { conversation } = await conversationOf(stack, org, phone);
  assert.equal(conversation.lastMessageAt, rows[0]?.releasedAt);
});
