/**
 * Scheduled messages of a conversation that is joined to another one: two contacts turn out to be
 * one person before the time has come.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertStatus } from '../../../../support/api/answers.ts';
import { freshPhone } from '../../../../support/api.ts';
import {
  freshUser,
  type Shown,
  writtenBy,
} from '../../../../support/infra/adapters/network/shown-person.ts';
import { cloudPost } from '../../../../support/network.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const SOON_MS = 4_000;
const HOUR_MS = 60 * 60 * 1000;

const stack = useStack();
const { a } = useOrganizations(stack, { a: {} });

async function write(shown: Shown, text: string): Promise<void> {
  const { body, headers } = cloudPost(a.appSecret, a.phoneNumberId, writtenBy(shown, text));
  assertStatus(await stack.request('POST', `/networks/cloud/${a.main}`, { body, headers }), 200);
}

function conversations() {
  return stack.conversations(a.key, `?channelId=${a.main}`);
}

async function scheduledIn(conversationId: string): Promise<readonly (string | null)[]> {
  const path = `/api/v1/messages?conversationId=${conversationId}&status=scheduled`;
  const { json } = await stack.request('GET', path, { key: a.key });
  const { data, total } = json as { total: number; data: { text: string | null }[] };
  assert.equal(data.length, total);
  return data.map(({ text }) => text);
}

test('they are sent once, listed by the one that stays, and can be cancelled', async () => {
  const phone = freshPhone();
  const userId = freshUser();
  await write({ userId }, 'primeira');
  const [older] = (await conversations()).data;
  assert.ok(older);
  await write({ phone }, 'segunda');
  const schedule = (text: string, inMs: number) => {
    const sendAt = new Date(Date.now() + inMs).toISOString();
    return stack.send(a.key, { channelId: a.main, phone, text, sendAt });
  };
  const soon = await schedule('logo', SOON_MS);
  const far = await schedule('longe', HOUR_MS);
  assert.notEqual(soon.conversationId, older.id);
  await write({ phone, userId }, 'terceira');
  await waitUntil('they are joined', async () => (await conversations()).data.length === 1);
  const [stays] = (await conversations()).data;
  assert.equal(stays?.id, older.id);
  assert.ok((await scheduledIn(older.id)).includes('longe'));
  const path = `/api/v1/messages/${far.messageId}/cancel`;
  assertStatus(await stack.request('POST', path, { key: a.key }), 200);
  await waitUntil('it is sent', async () => (await stack.network.sent(phone)).length > 0);
  const sent = (await stack.network.sent(phone)).map(({ text }) => text);
  assert.deepEqual(sent, ['logo']);
  const shown = async () => (await conversations()).data[0]?.lastMessagePreview === 'logo';
  await waitUntil('the list shows it', shown);
  const history = await stack.history(a.key, older.id);
  const statuses = new Map(history.map(({ text, status }) => [text, status]));
  assert.equal(history.length, 5);
  assert.equal(statuses.get('longe'), 'cancelled');
  assert.deepEqual(await scheduledIn(older.id), []);
});
