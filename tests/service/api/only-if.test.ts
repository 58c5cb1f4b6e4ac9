/** A send that is bound to what its caller has read (D424): of ten at once one goes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Document } from 'mongodb';
import { packed, unpacked } from '../../../infra/adapters/mongo/packing.ts';
import { contactDoes } from '../../support/api/content-fixture.ts';
import { assertRefused, freshPhone, issuePaths, type Sent } from '../../support/api.ts';
import { pluck } from '../../support/pluck.ts';
import { useDatabase, useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
const used = useDatabase(stack);
const { a } = useOrganizations(stack, { a: {} });

type Body = Readonly<Record<string, unknown>>;

function post(body: Body, headers: Readonly<Record<string, string>> = {}) {
  const path = '/api/v1/messages';
  return stack.call('POST', path, { key: a.key, body: { channelId: a.main, ...body }, headers });
}

/** A conversation that the contact has begun, as an assistant finds it. */
async function asked(): Promise<{ readonly phone: string; readonly conversationId: string }> {
  const phone = freshPhone();
  await writes(phone);
  const contact = await stack.contact(a.key, phone);
  const [conversation] = (await stack.conversations(a.key, `?contactId=${contact?.id}`)).data;
  return { phone, conversationId: conversation?.id ?? assert.fail('a conversation') };
}

const writes = (from: string, more: Body = { text: 'oi' }) =>
  contactDoes(stack, { channelId: a.main, from, ...more });

async function newestOf(conversationId: string): Promise<string> {
  const path = `/api/v1/messages?conversationId=${conversationId}&limit=1`;
  const { json } = await stack.request('GET', path, { key: a.key });
  const { data } = json as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? assert.fail('a message');
}

const sentOf = ({ json }: { readonly json: unknown }) => (json as { readonly data: Sent }).data;

describe('a send with onlyIf.lastMessageId', { concurrency: true }, () => {
  test('of ten at once exactly one is sent; the others are 409 and leave nothing', async () => {
    const { phone, conversationId } = await asked();
    const onlyIf = { lastMessageId: await newestOf(conversationId) };
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, n) => post({ conversationId, text: `resposta ${n}`, onlyIf })),
    );
    const accepted = all.filter(({ status }) => status === 201);
    assert.equal(accepted.length, 1);
    for (const answer of all) {
      if (answer.status !== 201) assert.match(assertRefused(answer, 409), /mais nova/);
    }
    const [sent = assert.fail()] = accepted.map(sentOf);
    await stack.messageIn(a.key, sent, 'read');
    assert.equal((await stack.network.sent(phone)).length, 1);
    assert.equal((await stack.history(a.key, conversationId)).length, 2);
  });

  test('is refused after the contact’s newer message, and after one typed on the phone', async () => {
    for (const more of [{ text: 'e mais isto' }, { text: 'já respondi', echo: true }]) {
      const { phone, conversationId } = await asked();
      const onlyIf = { lastMessageId: await newestOf(conversationId) };
      await writes(phone, more);
      assertRefused(await post({ conversationId, text: 'tarde', onlyIf }), 409);
      const again = { lastMessageId: await newestOf(conversationId) };
      assert.equal((await post({ conversationId, text: 'em dia', onlyIf: again })).status, 201);
    }
  });

  test('is refused after a message that waits for its time: it is read first too', async () => {
    const { conversationId } = await asked();
    const before = { lastMessageId: await newestOf(conversationId) };
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = sentOf(await post({ conversationId, text: 'amanhã', sendAt }));
    assert.equal(await newestOf(conversationId), scheduled.messageId);
    assertRefused(await post({ conversationId, text: 'x', onlyIf: before }), 409);
    const onlyIf = { lastMessageId: scheduled.messageId };
    assert.equal((await post({ conversationId, text: 'y', onlyIf })).status, 201);
  });

  test('is not refused for a late message, which is read before the newest', async () => {
    const { phone, conversationId } = await asked();
    const lastMessageId = await newestOf(conversationId);
    await writes(phone, { text: 'antes', at: Date.now() - 60_000 });
    assert.equal(await newestOf(conversationId), lastMessageId);
    const onlyIf = { lastMessageId };
    assert.equal((await post({ conversationId, text: 'certo', onlyIf })).status, 201);
  });

  test('is not refused for a note, which nobody outside reads, and names none', async () => {
    const { conversationId } = await asked();
    const lastMessageId = await newestOf(conversationId);
    const path = `/api/v1/conversations/${conversationId}/notes`;
    const note = await stack.call('POST', path, { key: a.key, body: { text: 'nota' } });
    const bound = { lastMessageId: sentOf(note).messageId };
    assertRefused(await post({ conversationId, text: 'x', onlyIf: bound }), 409);
    const onlyIf = { lastMessageId };
    assert.equal((await post({ conversationId, text: 'y', onlyIf })).status, 201);
  });

  test('to a phone without a conversation is 409, and makes neither contact nor conversation', async () => {
    const { phone: other, conversationId } = await asked();
    const onlyIf = { lastMessageId: await newestOf(conversationId) };
    const phone = freshPhone();
    assertRefused(await post({ phone, text: 'x', onlyIf }), 409);
    assert.equal(await stack.contact(a.key, phone), null);
    assert.equal((await post({ phone: other, text: 'y', onlyIf })).status, 201);
    const unknown = { conversationId: 'cnv_unknown', text: 'z', onlyIf };
    assertRefused(await post(unknown), 404);
  });

  test('downloads no file for a message that is refused', async () => {
    const { conversationId } = await asked();
    const onlyIf = { lastMessageId: 'msg_other' };
    const mediaUrl = 'https://files.invalid/never-asked.png';
    assertRefused(await post({ conversationId, mediaUrl, onlyIf }), 409);
  });
});

describe('a send with onlyIf.automation', { concurrency: true }, () => {
  test('is refused while a person’s answer pauses automation', async () => {
    const { phone, conversationId } = await asked();
    const onlyIf = { automation: true };
    assert.equal((await post({ conversationId, text: 'robô', onlyIf })).status, 201);
    await writes(phone, { text: 'eu assumo', echo: true });
    const both = { ...onlyIf, lastMessageId: await newestOf(conversationId) };
    for (const asking of [onlyIf, both]) {
      const answer = await post({ conversationId, text: 'robô', onlyIf: asking });
      assert.match(assertRefused(answer, 409), /automação está pausada/);
    }
    const person = { lastMessageId: both.lastMessageId };
    assert.equal((await post({ conversationId, text: 'sem a regra', onlyIf: person })).status, 201);
  });

  test('to a phone without a conversation is sent', async () => {
    const body = { phone: freshPhone(), text: 'olá', onlyIf: { automation: true } };
    assert.equal((await post(body)).status, 201);
  });
});

/** An entry that pauses automation, as an owner of whom the present one has not heard wrote it. */
async function pausedElsewhere(conversationId: string): Promise<void> {
  const entries = used.db.collection<Document & { readonly _id: string }>('entries');
  const newest = await entries.findOne({ conversationId }, { sort: { seq: -1 } });
  const { orgId, channelId, seq, after } = unpacked('entries', newest ?? assert.fail('an entry'));
  const state = { ...after, seq: seq + 1, automationPausedUntil: Date.now() + 3_600_000 };
  const own = { orgId, channelId, conversationId, seq: seq + 1, after: state };
  await entries.insertOne(packed('entries', { _id: `ent_${conversationId}`, ...own }));
}

test('a message whose insert meets an entry that its owner did not know is judged anew: 409', async () => {
  const { conversationId } = await asked();
  await pausedElsewhere(conversationId);
  const body = { channelId: a.main, conversationId, text: 'robô', onlyIf: { automation: true } };
  // Asked once: a call would be made again after a 500.
  const answer = await stack.request('POST', '/api/v1/messages', { key: a.key, body });
  assert.match(assertRefused(answer, 409), /automação está pausada/);
  assert.equal((await stack.history(a.key, conversationId)).length, 1);
});

test('under an Idempotency-Key a repeat gets the 201; a 409 is decided anew, as any', async () => {
  const { phone, conversationId } = await asked();
  const headers = { 'idempotency-key': `only-${phone}` };
  const onlyIf = { lastMessageId: await newestOf(conversationId) };
  const body = { conversationId, text: 'uma vez', onlyIf };
  const first = await post(body, headers);
  assert.equal(first.status, 201);
  const again = await post(body, headers);
  assert.deepEqual([again.status, again.json], [201, first.json]);
  const other = { 'idempotency-key': `other-${phone}` };
  const early = { conversationId, text: 'depois', onlyIf: { lastMessageId: 'msg_none' } };
  assertRefused(await post(early, other), 409);
  assertRefused(await post(early, other), 409);
  const texts = pluck(await stack.history(a.key, conversationId), 'text');
  assert.deepEqual(texts, ['uma vez', 'oi']);
});

test('a malformed onlyIf is refused at its field', async () => {
  const sendAt = new Date(Date.now() + 60_000).toISOString();
  for (const [more, paths] of [
    [{ onlyIf: {} }, ['onlyIf']],
    [{ onlyIf: 'msg_1' }, ['onlyIf']],
    [{ onlyIf: { automation: false } }, ['onlyIf.automation']],
    [{ onlyIf: { lastMessageId: '' } }, ['onlyIf.lastMessageId']],
    [{ onlyIf: { automation: true }, sendAt }, ['onlyIf']],
  ] as const) {
    const answer = await post({ phone: freshPhone(), text: 'x', ...more });
    assert.deepEqual(issuePaths(answer), paths, JSON.stringify(more));
  }
});
