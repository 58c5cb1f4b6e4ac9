/** Bulk messages: accepted, shown, expired, and kept from who has opted out. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshPhone, issuePaths, type Sent } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const stack = useStack();
const { a } = useOrganizations(stack, { a: {} });

function post(body: object) {
  return stack.call('POST', '/api/v1/messages', { key: a.key, body });
}

function at(inMs: number): string {
  return new Date(Date.now() + inMs).toISOString();
}

async function shown({ conversationId, messageId }: Sent) {
  const history = await stack.history(a.key, conversationId);
  return history.find(({ id }) => id === messageId) ?? assert.fail('the message is listed');
}

describe('POST /api/v1/messages with priority bulk', () => {
  test('is sent, and shows its priority and its end, which others do not have', async () => {
    const phone = freshPhone();
    const expiresAt = at(HOUR_MS);
    const bulk = { channelId: a.main, phone, text: 'campanha', priority: 'bulk', expiresAt };
    const sent = await stack.send(a.key, bulk);
    await waitUntil('it is sent', async () => (await shown(sent)).receipts.sent !== null);
    const message = await shown(sent);
    assert.deepEqual([message.priority, message.expiresAt], ['bulk', expiresAt]);
    const body = { channelId: a.main, phone, text: 'aviso', priority: 'normal' };
    const plain = await shown(await stack.send(a.key, body));
    assert.deepEqual([plain.priority, plain.expiresAt], [undefined, undefined]);
    const texts = (await stack.network.sent(phone)).map(({ text }) => text);
    assert.equal(texts[0], 'campanha');
  });

  test('waits for seven days from its time, unless it says until when', async () => {
    const body = { channelId: a.main, phone: freshPhone(), text: 'x', priority: 'bulk' };
    const before = Date.now();
    const now = await shown(await stack.send(a.key, body));
    const end = Date.parse(now.expiresAt ?? '') - 7 * DAY_MS;
    assert.ok(end >= before && end <= Date.now(), now.expiresAt);
    const sendAt = at(20 * DAY_MS);
    const later = await shown(await stack.send(a.key, { ...body, sendAt }));
    assert.equal(Date.parse(later.expiresAt ?? ''), Date.parse(sendAt) + 7 * DAY_MS);
    assert.equal(later.status, 'scheduled');
  });

  test('an end that is past, too far, malformed or of no bulk message is refused there', async () => {
    const phone = freshPhone();
    const body = { channelId: a.main, phone, text: 'x', priority: 'bulk' };
    for (const expiresAt of [at(-1_000), at(30 * DAY_MS + HOUR_MS), 'amanhã']) {
      assert.deepEqual(issuePaths(await post({ ...body, expiresAt })), ['expiresAt'], expiresAt);
    }
    const early = { ...body, sendAt: at(2 * HOUR_MS), expiresAt: at(HOUR_MS) };
    assert.deepEqual(issuePaths(await post(early)), ['expiresAt']);
    const normal = { ...body, priority: 'normal', expiresAt: at(HOUR_MS) };
    assert.deepEqual(issuePaths(await post(normal)), ['expiresAt']);
    assert.deepEqual(issuePaths(await post({ ...body, priority: 'urgent' })), ['priority']);
    assert.equal(await stack.contact(a.key, phone), null, 'and nothing is created');
  });

  test('a call that is repeated under its key after its end keeps its answer', async () => {
    const expiresAt = at(1_500);
    const body = {
      channelId: a.main,
      phone: freshPhone(),
      text: 'uma',
      priority: 'bulk',
      expiresAt,
    };
    const headers = { 'idempotency-key': `bulk-${freshPhone()}` };
    const once = () => stack.call('POST', '/api/v1/messages', { key: a.key, body, headers });
    const first = await once();
    assert.equal(first.status, 201, first.text);
    await waitUntil('its end is past', async () => Date.now() > Date.parse(expiresAt));
    const again = await once();
    assert.deepEqual([again.status, again.json], [201, first.json]);
  });

  test('fails at its turn for a contact who has opted out, and nothing is sent', async () => {
    const phone = freshPhone();
    const contact = { phone, optIn: true };
    await stack.call('POST', '/api/v1/contacts', { key: a.key, body: contact });
    await stack.call('POST', '/api/v1/contacts', { key: a.key, body: { phone, optIn: false } });
    const body = { channelId: a.main, phone, text: 'campanha', priority: 'bulk' };
    const sent = await stack.send(a.key, body);
    await waitUntil('it fails', async () => (await shown(sent)).status === 'failed');
    assert.equal((await shown(sent)).error?.code, 'opted_out');
    assert.deepEqual(await stack.network.sent(phone), []);
  });
});
