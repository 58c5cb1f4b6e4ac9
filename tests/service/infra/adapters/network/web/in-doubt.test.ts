/**
 * Sends whose fate is not known, and networks that are away (I29): sent exactly once
 * where the network tells, in order, and nothing is lost.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalId } from '../../../../../../infra/adapters/network/web/message-id.ts';
import { assertRefused, freshPhone, type Sent } from '../../../../../support/api.ts';
import type { Organization } from '../../../../../support/organization.ts';
import { pluck } from '../../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { arrived } from './reading.ts';

const CASES = { lost: {}, never: {}, down: {}, state: {}, bad: {}, killed: {} };

const stack = useStack();
const orgs = useOrganizations(stack, CASES);

function send({ shopKey }: Organization, phone: string, text: string): Promise<Sent> {
  return stack.send(shopKey, { phone, text });
}

function fault({ session }: Organization, more: Record<string, unknown>): Promise<void> {
  return stack.network.fault({ session, ...more });
}

async function shopOf({ shopKey }: Organization) {
  const [channel] = await stack.channels(shopKey);
  assert.ok(channel);
  return channel;
}

describe('a send whose answer was lost', { concurrency: true }, () => {
  test('is found among the chat’s messages and not sent again; its statuses are kept', async () => {
    const { lost } = orgs;
    const phone = freshPhone();
    // The same text before it must not be taken for it.
    await stack.messageIn(lost.shopKey, await send(lost, phone, 'oi'), 'read');
    await fault(lost, { loseAnswer: true, times: 1 });
    const doubtful = await send(lost, phone, 'oi');
    const next = await send(lost, phone, 'depois');
    await stack.messageIn(lost.shopKey, next, 'read');
    const message = await stack.messageIn(lost.shopKey, doubtful, 'read');
    const onNetwork = await stack.network.sent(phone);
    assert.deepEqual(pluck(onNetwork, 'text'), ['oi', 'oi', 'depois']);
    assert.equal(message.externalId, canonicalId(onNetwork[1]?.externalId ?? ''));
  });

  test('which the network never got is sent once more after the wait, in its order', async () => {
    const { never } = orgs;
    const phone = freshPhone();
    await fault(never, { loseRequest: true, times: 1 });
    const startedAt = performance.now();
    await send(never, phone, 'primeira');
    const last = await send(never, phone, 'segunda');
    const other = await send(never, freshPhone(), 'outra conversa');
    await stack.messageIn(never.shopKey, other, 'read');
    await waitUntil('both arrived', async () => (await arrived(stack, phone)).length === 2);
    assert.ok(performance.now() - startedAt > 11_000, 'after the wait');
    await stack.messageIn(never.shopKey, last, 'read');
    assert.deepEqual(await arrived(stack, phone), ['primeira', 'segunda']);
  });
});

describe('a bridge that is away', { concurrency: true }, () => {
  test('for a while: nothing is lost, nothing doubled, every conversation in its order', async () => {
    const { down } = orgs;
    await fault(down, { status: 503 });
    const phones = [freshPhone(), freshPhone(), freshPhone(), freshPhone()];
    const texts = ['1', '2', '3', '4', '5'];
    const sent: Sent[] = [];
    for (const text of texts) for (const phone of phones) sent.push(await send(down, phone, text));
    for (const phone of phones) assert.deepEqual(await arrived(stack, phone), []);
    await fault(down, {});
    await Promise.all(sent.map((each) => stack.messageIn(down.shopKey, each, 'read')));
    for (const phone of phones) assert.deepEqual(await arrived(stack, phone), texts);
  });

  test('one conversation that the bridge chokes on holds up no other', async () => {
    const { bad } = orgs;
    await fault(bad, { status: 500, times: 1 });
    const slow = await send(bad, freshPhone(), 'engasga');
    const isQueued = async () =>
      (await stack.history(bad.key, slow.conversationId))[0]?.status === 'queued';
    await waitUntil('it was turned away', isQueued);
    await stack.messageIn(bad.shopKey, await send(bad, freshPhone(), 'passa'), 'read');
    assert.ok(await isQueued(), 'another one need not wait');
    for (let index = 0; index < 4; index++) {
      await stack.messageIn(bad.shopKey, await send(bad, freshPhone(), 'passa'), 'read');
    }
    await stack.messageIn(bad.shopKey, slow, 'read');
  });

  test('a session that stops: not ready, a Portuguese reason, 409; WORKING again: ready', async () => {
    const { state } = orgs;
    const { session } = state;
    const phone = freshPhone();
    await stack.network.control('POST /session', { session, status: 'SCAN_QR_CODE' });
    const unready = await waitUntil('the channel is not ready', async () => {
      const shop = await shopOf(state);
      return shop.ready ? null : shop;
    });
    assert.match(unready.reason ?? '', /QR code/);
    const body = { phone, text: 'não vai' };
    const refused = () => stack.call('POST', '/api/v1/messages', { key: state.shopKey, body });
    await waitUntil('a 409', async () => (await refused()).status === 409);
    assert.equal(assertRefused(await refused(), 409), unready.reason);
    await stack.network.control('POST /session', { session, status: 'WORKING' });
    await waitUntil('ready', async () => (await shopOf(state)).ready);
    // A look that began before the session worked may still say for a moment that it does not.
    await waitUntil('sends are taken', async () => (await refused()).status === 201);
    await stack.messageIn(state.shopKey, await send(state, phone, 'de volta'), 'read');
  });
});

describe('the process that sends dies', () => {
  test('between the network’s acceptance and its own record: found, not sent again', async () => {
    const { killed } = orgs;
    const phone = freshPhone();
    await fault(killed, { delayMs: 8_000, times: 1 });
    const sent = await send(killed, phone, 'na hora errada');
    await waitUntil('accepted', async () => (await arrived(stack, phone)).length === 1);
    process.kill(stack.pid('actors'), 'SIGKILL');
    const after = { phone, text: 'depois da queda' };
    const next = await stack.send(killed.shopKey, after);
    await stack.messageIn(killed.shopKey, next, 'read');
    await stack.messageIn(killed.shopKey, sent, 'read');
    assert.deepEqual(await arrived(stack, phone), ['na hora errada', 'depois da queda']);
  });
});
