/**
 * One person under a number and under business-scoped ids: one contact, whatever the network shows
 * of them, and one conversation on each channel (D141, D142).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { DealAnswer, ListDealsAnswer } from '../../../../../shared/api/deal.ts';
import { ListMessagesAnswer } from '../../../../../shared/api/message.ts';
import { ListTasksAnswer } from '../../../../../shared/api/task.ts';
import { assertStatus, parseAnswer } from '../../../../support/api/answers.ts';
import { freshPhone } from '../../../../support/api.ts';
import {
  freshUser,
  movedTo,
  type Shown,
  writtenBy,
} from '../../../../support/infra/adapters/network/shown-person.ts';
import { cloudPost, cloudStatus } from '../../../../support/network.ts';
import { pluck } from '../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const stack = useStack();
const { a } = useOrganizations(stack, { a: {} });

async function post(value: Record<string, unknown>): Promise<void> {
  const { body, headers } = cloudPost(a.appSecret, a.phoneNumberId, value);
  const path = `/networks/cloud/${a.main}`;
  assertStatus(await stack.request('POST', path, { body, headers }), 200);
}

function write(shown: Shown, text: string): Promise<void> {
  return post(writtenBy(shown, text));
}

function changeNumber(from: string, to: string): Promise<void> {
  return post(movedTo(from, to));
}

async function get<S extends v.GenericSchema>(path: string, schema: S) {
  return parseAnswer(await stack.request('GET', path, { key: a.key }), schema);
}

/** The contact's one conversation. */
async function conversationOf(contactId: string) {
  const { data } = await stack.conversations(a.key, `?contactId=${contactId}`);
  assert.equal(data.length, 1, JSON.stringify(data));
  const [conversation] = data;
  assert.ok(conversation);
  return conversation;
}

async function textsIn(conversationId: string): Promise<(string | null)[]> {
  return (await stack.history(a.key, conversationId)).map(({ text }) => text).reverse();
}

async function contactOf(phone: string) {
  const contact = await stack.contact(a.key, phone);
  assert.ok(contact, `${phone} is a contact`);
  return contact;
}

/** A person who is known only by a business-scoped id. */
async function hidden(userId: string, text: string) {
  const before = new Set((await stack.conversations(a.key)).data.map(({ id }) => id));
  await write({ userId }, text);
  const { data } = await stack.conversations(a.key);
  const made = data.find(({ id }) => !before.has(id));
  assert.ok(made);
  return made;
}

async function upsert(body: Record<string, unknown>) {
  const answer = await stack.call('POST', '/api/v1/contacts', { key: a.key, body });
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

async function total(): Promise<number> {
  const schema = v.object({ total: v.number(), data: v.array(v.object({ id: v.string() })) });
  const { total: told, data } = await get('/api/v1/contacts?limit=200', schema);
  assert.equal(data.length, told);
  return told;
}

describe('a person seen with a number and without', () => {
  test('is one contact, and an opt-out holds', async () => {
    const phone = freshPhone();
    const userId = freshUser();
    await write({ phone, userId }, 'oi');
    const contact = await contactOf(phone);
    await write({ userId }, 'SAIR');
    const { id } = await conversationOf(contact.id);
    assert.deepEqual(await textsIn(id), ['oi', 'SAIR']);
    await waitUntil('opted out', async () => (await contactOf(phone)).optOutAt !== null);
  });

  test('is one contact too where the hidden form comes first', async () => {
    const phone = freshPhone();
    const userId = freshUser();
    const before = await total();
    const made = await hidden(userId, 'SAIR');
    await write({ phone, userId }, 'voltei');
    const contact = await contactOf(phone);
    assert.equal(contact.id, made.contact.id);
    assert.equal(contact.optIn, false);
    assert.ok(contact.optOutAt);
    assert.deepEqual(await textsIn(made.id), ['SAIR', 'voltei']);
    const sent = await stack.send(a.mainKey, { phone, text: 'resposta' });
    assert.equal(sent.conversationId, made.id);
    await stack.messageIn(a.key, sent, 'read');
    assert.equal((await conversationOf(contact.id)).contact.phone, phone);
    assert.equal(await total(), before + 1);
  });
});

describe('two contacts that turn out to be one', () => {
  test('keep everything, under the older id; an opt-out wins', async () => {
    const phone = freshPhone();
    const userId = freshUser();
    const older = await hidden(userId, 'primeira');
    await write({ phone }, 'segunda');
    const younger = await contactOf(phone);
    assert.notEqual(younger.id, older.contact.id);
    await upsert({ phone, tags: ['vip'], fields: { plano: 'ouro' }, optIn: false });
    const answer = await stack.call('POST', '/api/v1/deals', {
      key: a.key,
      body: { contactId: younger.id, title: 'Plano' },
    });
    assertStatus(answer, 201);
    const other = await conversationOf(younger.id);
    const before = await total();
    await write({ phone, userId }, 'terceira');
    const contact = await contactOf(phone);
    assert.equal(contact.id, older.contact.id, 'the older stays');
    assert.deepEqual([contact.tags, contact.fields], [['vip'], { plano: 'ouro' }]);
    assert.equal(contact.optIn, false);
    assert.ok(contact.optOutAt);
    assert.equal(await total(), before - 1);
    for (const id of [contact.id, younger.id]) {
      assert.equal((await conversationOf(id)).id, older.id);
      const { data } = await get(`/api/v1/deals?contactId=${id}`, ListDealsAnswer);
      assert.deepEqual(
        data.map(({ contact: named }) => named.id),
        [contact.id],
      );
    }
    for (const id of [older.id, other.id]) {
      assert.deepEqual(await textsIn(id), ['primeira', 'segunda', 'terceira']);
    }
    assert.equal(
      parseAnswer(
        await stack.call('POST', '/api/v1/deals', {
          key: a.key,
          body: { contactId: younger.id, title: 'Outro', conversationId: other.id },
        }),
        DealAnswer,
        201,
      ).data.contact.id,
      contact.id,
    );
  });

  test('go on as one, in whatever form the person is shown and the caller names them', async () => {
    const phone = freshPhone();
    const userId = freshUser();
    await write({ phone }, 'primeira');
    const contact = await contactOf(phone);
    const { id } = await conversationOf(contact.id);
    const younger = await hidden(userId, 'segunda');
    await write({ phone, userId }, 'terceira');
    await write({ userId }, 'quarta');
    await write({ phone }, 'quinta');
    const byId = await stack.send(a.mainKey, {
      conversationId: younger.id,
      text: 'pela mais nova',
    });
    const byPhone = await stack.send(a.mainKey, { phone, text: 'pelo número' });
    assert.deepEqual([byId.conversationId, byPhone.conversationId], [id, id]);
    await stack.messageIn(a.key, byPhone, 'read');
    const texts = ['primeira', 'segunda', 'terceira', 'quarta', 'quinta'];
    for (const named of [id, younger.id]) {
      assert.deepEqual(await textsIn(named), [...texts, 'pela mais nova', 'pelo número']);
    }
    const page = await stack.call('GET', `/api/v1/messages?conversationId=${id}&limit=2&page=3`, {
      key: a.key,
    });
    const { data, total: all } = v.parse(ListMessagesAnswer, page.json);
    assert.deepEqual([data.map(({ text }) => text), all], [['terceira', 'segunda'], 7]);
    const { data: every } = await stack.conversations(a.key, '?limit=200');
    assert.ok(!every.some((each) => each.id === younger.id), 'the younger is in no list');
  });

  test('share what was done with either: tasks, and receipts of what was sent before', async () => {
    const phone = freshPhone();
    const userId = freshUser();
    const older = await hidden(userId, 'oi');
    await stack.network.fault({ phoneNumberId: a.phoneNumberId, dropReceipts: true, times: 1 });
    const sent = await stack.send(a.mainKey, { phone, text: 'antes' });
    const { externalId } = await stack.messageIn(a.key, sent, 'sent');
    assert.ok(externalId);
    const younger = await contactOf(phone);
    const body = { title: 'Ligar', contactId: younger.id };
    assertStatus(await stack.call('POST', '/api/v1/tasks', { key: a.key, body }), 201);
    await write({ phone, userId }, 'sou eu');
    assert.equal((await contactOf(phone)).id, older.contact.id);
    await post({ statuses: [cloudStatus(externalId, 'read', { to: phone })] });
    await stack.messageIn(a.key, { ...sent, conversationId: older.id }, 'read');
    for (const id of [older.contact.id, younger.id]) {
      const { data } = await get(`/api/v1/tasks?contactId=${id}`, ListTasksAnswer);
      // The id by which it was made answers for the contact.
      assert.deepEqual([data.length, data[0]?.contactId], [1, younger.id]);
    }
  });

  test('what is queued in the younger conversation is sent once, in order', async () => {
    const phone = freshPhone();
    const userId = freshUser();
    await hidden(userId, 'oi');
    await write({ phone }, 'oi');
    const other = await conversationOf((await contactOf(phone)).id);
    await stack.network.fault({
      phoneNumberId: a.phoneNumberId,
      status: 429,
      code: 130429,
      times: 2,
    });
    const texts = ['um', 'dois', 'três'];
    for (const text of texts) await stack.send(a.mainKey, { conversationId: other.id, text });
    await write({ phone, userId }, 'sou eu');
    const last = await stack.send(a.mainKey, { conversationId: other.id, text: 'quatro' });
    assert.notEqual(last.conversationId, other.id);
    await stack.messageIn(a.key, last, 'read');
    const arrived = async () =>
      [...(await stack.network.sent(phone)), ...(await stack.network.sent(userId))].map(
        ({ text }) => text,
      );
    await waitUntil('all were sent', async () => (await arrived()).length >= 4);
    const sent = (await arrived()).filter((text) => text !== 'quatro');
    assert.deepEqual(sent, texts);
    const history = await stack.history(a.key, other.id);
    const ours = history.filter(({ direction }) => direction === 'out').map(({ text }) => text);
    assert.deepEqual(ours.sort(), [...texts, 'quatro'].sort());
  });
});

describe('a message of our own number to itself', () => {
  test('makes no strangers one by the ids beside it', async () => {
    const [first, second] = [freshUser(), freshUser()];
    const ours = '551140001000';
    for (const userId of [first, second]) await write({ phone: ours, userId }, 'nota para mim');
    const [one, other] = [await hidden(first, 'oi'), await hidden(second, 'olá')];
    const ids = [one.contact.id, other.contact.id, (await contactOf(ours)).id];
    assert.equal(new Set(ids).size, 3);
  });
});

describe('a person who changes their number', () => {
  test('stays the contact; the old number is another person’s', async () => {
    const old = freshPhone();
    const now = freshPhone();
    await write({ phone: old }, 'oi');
    const contact = await contactOf(old);
    await upsert({ phone: old, tags: ['vip'] });
    const { id } = await conversationOf(contact.id);
    await changeNumber(old, now);
    const moved = await contactOf(now);
    assert.equal(moved.id, contact.id);
    assert.deepEqual(moved.tags, ['vip']);
    assert.equal(await stack.contact(a.key, old), null);
    await write({ phone: now }, 'número novo');
    assert.deepEqual(await textsIn(id), ['oi', 'número novo']);
    await write({ phone: old }, 'sou outra pessoa');
    const other = await contactOf(old);
    assert.notEqual(other.id, contact.id);
    assert.deepEqual(other.tags, []);
    assert.deepEqual(await textsIn((await conversationOf(other.id)).id), ['sou outra pessoa']);
    assert.deepEqual(await textsIn(id), ['oi', 'número novo']);
    const toNew = await stack.send(a.mainKey, { phone: now, text: 'para quem mudou' });
    const toOld = await stack.send(a.mainKey, { phone: old, text: 'para a outra' });
    assert.equal(toNew.conversationId, id);
    assert.notEqual(toOld.conversationId, id);
    await stack.messageIn(a.key, toNew, 'read');
    await stack.messageIn(a.key, toOld, 'read');
    assert.deepEqual(pluck(await stack.network.sent(now), 'text'), ['para quem mudou']);
    assert.deepEqual(pluck(await stack.network.sent(old), 'text'), ['para a outra']);
    // The network repeats its earlier events.
    await changeNumber(old, now);
    assert.equal((await contactOf(old)).id, other.id);
  });
});
