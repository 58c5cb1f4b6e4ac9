/** Messages with a time: accepted, listed, cancelled, released at their time and never before. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { databaseOf } from '../../../infra/adapters/mongo/client.ts';
import { SCHEDULE_MAX_MS, SCHEDULED_MAX_PER_ORGANIZATION } from '../../../shared/limits.ts';
import { assertRefused, freshPhone, issuePaths, type Sent } from '../../support/api.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const HOUR_MS = 60 * 60 * 1000;
const INSERTED_AT_ONCE = 2_000;

const stack = useStack();
const { a, b } = useOrganizations(stack, { a: {}, b: {} });

function post(body: object, key = a.key) {
  return stack.call('POST', '/api/v1/messages', { key, body });
}

function at(inMs: number): string {
  return new Date(Date.now() + inMs).toISOString();
}

function schedule(phone: string, text: string, inMs: number): Promise<Sent> {
  const body = { channelId: a.main, phone, text, sendAt: at(inMs) };
  return stack.send(a.key, body);
}

function cancel(messageId: string, key = a.key) {
  return stack.call('POST', `/api/v1/messages/${messageId}/cancel`, { key });
}

async function shown({ conversationId, messageId }: Sent) {
  const history = await stack.history(a.key, conversationId);
  return history.find(({ id }) => id === messageId) ?? assert.fail('the message is listed');
}

async function scheduledIn(conversationId: string) {
  const path = `/api/v1/messages?conversationId=${conversationId}&status=scheduled`;
  const { json } = await stack.request('GET', path, { key: a.key });
  return json as { total: number; data: { id: string; status: string }[] };
}

async function conversation(id: string) {
  const { data } = await stack.conversations(a.key, `?channelId=${a.main}`);
  return data.find((each) => each.id === id) ?? assert.fail('the conversation is listed');
}

describe('POST /api/v1/messages with sendAt', () => {
  test('waits for its time, and neither moves the conversation nor is sent before', async () => {
    const phone = freshPhone();
    const first = await stack.send(a.key, { channelId: a.main, phone, text: 'agora' });
    const before = await conversation(first.conversationId);
    const sendAt = at(6_000);
    const body = { channelId: a.main, phone, text: 'depois', sendAt };
    const sent = await stack.send(a.key, body);
    const waiting = await shown(sent);
    assert.deepEqual([waiting.status, waiting.scheduledAt], ['scheduled', sendAt]);
    const during = await conversation(sent.conversationId);
    assert.deepEqual(
      [during.lastMessageAt, during.lastMessagePreview],
      [before.lastMessageAt, before.lastMessagePreview],
    );
    assert.equal((await scheduledIn(sent.conversationId)).total, 1);
    const released = await waitUntil('it is sent', async () => {
      const message = await shown(sent);
      return message.receipts.sent === null ? null : message;
    });
    // The network tells whole seconds.
    const earliest = Math.floor(Date.parse(sendAt) / 1_000) * 1_000;
    assert.ok(Date.parse(released.receipts.sent ?? '') >= earliest, 'never early');
    assert.equal(released.createdAt, waiting.createdAt, 'it was written then');
    const later = await conversation(sent.conversationId);
    assert.equal(later.lastMessagePreview, 'depois');
    assert.ok(Date.parse(later.lastMessageAt ?? '') >= Date.parse(sendAt));
    const texts = (await stack.network.sent(phone)).map(({ text }) => text);
    assert.deepEqual(texts, ['agora', 'depois']);
    assert.equal((await scheduledIn(sent.conversationId)).total, 0);
  });

  test('goes in the order in which it became due, among sends of the moment', async () => {
    const phone = freshPhone();
    const late = await schedule(phone, 'terceira', 2_600);
    await schedule(phone, 'segunda', 1_900);
    await stack.send(a.key, { channelId: a.main, phone, text: 'primeira' });
    const both = async () => (await stack.network.sent(phone)).length === 3;
    await waitUntil('all are sent', both);
    const order = (await stack.network.sent(phone)).map(({ text }) => text);
    assert.deepEqual(order, ['primeira', 'segunda', 'terceira']);
    const history = await stack.history(a.key, late.conversationId);
    assert.deepEqual(
      pluck(history, 'text'),
      ['primeira', 'segunda', 'terceira'],
      'the history has the order of the writing',
    );
  });

  test('of now, or a moment ago, is sent at once', async () => {
    const phone = freshPhone();
    const sent = await schedule(phone, 'já', -1_000);
    await waitUntil('it is sent', async () => (await shown(sent)).receipts.sent !== null);
    assert.notEqual((await shown(sent)).scheduledAt, undefined);
  });

  test('outside of its range, or malformed, is refused at sendAt', async () => {
    const phone = freshPhone();
    const times = [at(-10_000), at(SCHEDULE_MAX_MS + 60_000), 'amanhã', '2026-13-01T00:00:00Z'];
    for (const sendAt of times) {
      const refused = await post({ channelId: a.main, phone, text: 'x', sendAt });
      assert.deepEqual(issuePaths(refused), ['sendAt'], sendAt);
    }
    assert.equal(await stack.contact(a.key, phone), null, 'and nothing is created');
    const alone = await post({ channelId: a.main, phone, text: 'x', ifLate: 'send' });
    assert.deepEqual(issuePaths(alone), ['ifLate']);
  });

  test('a call that is repeated under its key after the time keeps its answer', async () => {
    const body = { channelId: a.main, phone: freshPhone(), text: 'uma', sendAt: at(1_200) };
    const headers = { 'idempotency-key': `sched-${freshPhone()}` };
    const once = () => stack.call('POST', '/api/v1/messages', { key: a.key, body, headers });
    const first = await once();
    assert.equal(first.status, 201);
    const { data } = first.json as { data: Sent };
    await waitUntil('it is sent', async () => (await shown(data)).receipts.sent !== null);
    const again = await once();
    assert.deepEqual([again.status, again.json], [201, first.json]);
  });

  test('to a contact who has opted out by its time it fails, and says so', async () => {
    const phone = freshPhone();
    const sent = await schedule(phone, 'não', 2_000);
    const out = { phone, optIn: false };
    await stack.call('POST', '/api/v1/contacts', { key: a.key, body: out });
    await waitUntil('it fails', async () => (await shown(sent)).status === 'failed');
    assert.equal((await shown(sent)).error?.code, 'opted_out');
    assert.deepEqual(await stack.network.sent(phone), []);
  });
});

describe('POST /api/v1/messages/{id}/cancel', () => {
  test('answers the cancelled message, twice the same, and nothing is sent', async () => {
    const phone = freshPhone();
    const sent = await schedule(phone, 'não vai', HOUR_MS);
    const before = await conversation(sent.conversationId);
    const first = await cancel(sent.messageId);
    assert.equal(first.status, 200, first.text);
    const { data } = first.json as { data: { id: string; status: string } };
    assert.deepEqual([data.id, data.status], [sent.messageId, 'cancelled']);
    assert.deepEqual((await cancel(sent.messageId)).json, first.json);
    assert.equal((await shown(sent)).status, 'cancelled');
    assert.equal((await scheduledIn(sent.conversationId)).total, 0);
    const later = await conversation(sent.conversationId);
    assert.equal(later.lastMessageAt, before.lastMessageAt);
  });

  test('is 409 for what is not scheduled, 404 and 403 for what the key does not reach', async () => {
    const phone = freshPhone();
    const plain = await stack.send(a.key, { channelId: a.main, phone, text: 'x' });
    assertRefused(await cancel(plain.messageId), 409);
    const sent = await schedule(phone, 'y', HOUR_MS);
    assertRefused(await cancel(sent.messageId, b.key), 404);
    assertRefused(await cancel(sent.messageId, a.shopKey), 403);
    assertRefused(await cancel('msg_unknown'), 404);
    assert.equal((await shown(sent)).status, 'scheduled');
    assert.equal((await cancel(sent.messageId, a.mainKey)).status, 200);
  });

  test('at the very moment: cancelled and unsent, or 409 and sent', async () => {
    const cases = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const phone = freshPhone();
        const dueAt = Date.now() + 1_500 + (index % 8) * 100;
        const sendAt = new Date(dueAt).toISOString();
        const text = `corrida ${index}`;
        const sent = await stack.send(a.key, { channelId: a.main, phone, text, sendAt });
        const early = dueAt - Date.now() - 6 + (index % 5) * 3;
        await new Promise((go) => setTimeout(go, Math.max(0, early)));
        const { status } = await cancel(sent.messageId);
        return { phone, sent, status };
      }),
    );
    for (const { phone, sent, status } of cases) {
      assert.ok(status === 200 || status === 409, String(status));
      const ended = status === 200 ? 'cancelled' : 'sent';
      await waitUntil(`it is ${ended}`, async () => {
        const message = await shown(sent);
        return ended === 'cancelled'
          ? message.status === 'cancelled'
          : message.receipts.sent !== null;
      });
      assert.equal((await stack.network.sent(phone)).length, status === 200 ? 0 : 1);
    }
  });
});

test('an organization has at most 100,000 scheduled messages', async () => {
  const { mongodbUrl } = stack.runFile();
  await using client = new MongoClient(mongodbUrl, { retryWrites: false });
  const entries = databaseOf(client, mongodbUrl).collection<{ _id: string }>('entries');
  // Enough to be counted: without a partition and a time, they are due in no agenda.
  const full = Array.from({ length: SCHEDULED_MAX_PER_ORGANIZATION }, (_, seq) => ({
    _id: `full-${seq}`,
    ...{ conversationId: 'cnv_full', seq },
    due: { orgId: b.id },
  }));
  for (let from = 0; from < full.length; from += INSERTED_AT_ONCE) {
    const some = full.slice(from, from + INSERTED_AT_ONCE);
    await entries.insertMany(some, { ordered: false });
  }
  const body = { channelId: b.main, phone: freshPhone(), text: 'x', sendAt: at(HOUR_MS) };
  assert.deepEqual(issuePaths(await post(body, b.key)), ['sendAt']);
  // The others stay: to remove them costs the engine more than to insert them.
  await entries.deleteOne({ _id: 'full-0' });
  await waitUntil('there is room again', async () => (await post(body, b.key)).status === 201);
});
