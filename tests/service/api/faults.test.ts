/**
 * A network that refuses, throttles or is down (C2.3, C4.9, C7.7, I33).
 * Each case has an organization of its own: faults are the number's.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untilRows } from '../../support/api/content-fixture.ts';
import { assertRefused, freshPhone, type Sent } from '../../support/api.ts';
import type { Organization } from '../../support/organization.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const CASES = {
  window: {},
  pair: {},
  token: {},
  blip: {},
  renewed: {},
  down: {},
  late: {},
  off: {},
  web: {},
};

const stack = useStack();
const orgs = useOrganizations(stack, () => {
  const pace = { perSecond: 1000, pairBurst: 3, pairEvery: '200ms' };
  return { ...CASES, pair: { pace } };
});

function send(to: Organization, phone: string, text: string): Promise<Sent> {
  return stack.send(to.key, { channelId: to.main, phone, text });
}

function refusedSend({ key, main }: Organization) {
  const body = { channelId: main, phone: freshPhone(), text: 'não vai' };
  return stack.request('POST', '/api/v1/messages', { key, body });
}

function fault({ phoneNumberId }: Organization, more: Record<string, unknown>): Promise<void> {
  return stack.network.fault({ phoneNumberId, ...more });
}

async function arrived(phone: string): Promise<(string | null)[]> {
  return (await stack.network.sent(phone)).map(({ text }) => text);
}

async function untilArrived(phone: string, count: number) {
  return pluck(await untilRows(stack, phone, count), 'text');
}

async function readiness({ key, main }: Organization) {
  const channel = (await stack.channels(key)).find(({ id }) => id === main);
  assert.ok(channel);
  return channel;
}

/** Within 15 s of the last fault every agenda moves (I11); a slow machine takes longer. */
function untilReadyAgain(org: Organization) {
  return waitUntil('the channel is ready again', async () => (await readiness(org)).ready);
}

function untilNotReady(org: Organization) {
  return waitUntil('the channel is not ready', async () =>
    (await readiness(org)).ready ? null : readiness(org),
  );
}

describe('the network refuses', { concurrency: true }, () => {
  test('outside the 24-hour window (131047) the message is accepted, then failed with a reason', async () => {
    const { window } = orgs;
    await fault(window, { code: 131047, times: 1 });
    const phone = freshPhone();
    const message = await stack.messageIn(window.key, await send(window, phone, 'tarde'), 'failed');
    assert.equal(message.error?.code, '131047');
    assert.match(message.error?.message ?? '', /24 horas/);
    assert.equal(message.receipts.sent, null);
    assert.equal((await readiness(window)).ready, true, 'it is about one message only');
    await stack.messageIn(window.key, await send(window, phone, 'de novo'), 'read');
    assert.deepEqual(await arrived(phone), ['de novo']);
  });

  test('a refusal that comes as a status fails the message the same way', async () => {
    const { late } = orgs;
    await fault(late, { failReceiptCode: 131026, times: 1 });
    const sent = await send(late, freshPhone(), 'sem WhatsApp');
    const message = await stack.messageIn(late.key, sent, 'failed');
    assert.equal(message.error?.code, '131026');
    assert.match(message.error?.message ?? '', /^A mensagem não pode ser entregue/);
  });

  test('a pair limit (131056) holds that contact back, in order, and nobody else', async () => {
    const { pair } = orgs;
    await fault(pair, { code: 131056, times: 1 });
    const [slow, other] = [freshPhone(), freshPhone()];
    const texts = ['1', '2', '3', '4', '5'];
    const first = await send(pair, slow, '1');
    await waitUntil(
      'the first is there',
      async () => (await stack.history(pair.key, first.conversationId)).length === 1,
    );
    for (const text of texts.slice(1)) await send(pair, slow, text);
    await stack.messageIn(pair.key, await send(pair, other, 'livre'), 'read');
    assert.deepEqual(await arrived(slow), [], 'the pair waits, the other contact need not');
    assert.deepEqual(await untilArrived(slow, 5), texts);
  });

  test('a token without permission (10) makes the channel unready: 409 with the very reason', async () => {
    const { token } = orgs;
    const phone = freshPhone();
    await fault(token, { code: 10 });
    await send(token, phone, 'espera');
    const { reason, enabled } = await untilNotReady(token);
    assert.match(reason ?? '', /token de acesso/);
    assert.equal(enabled, true);
    await waitUntil('a 409', async () => (await refusedSend(token)).status === 409);
    assert.equal(assertRefused(await refusedSend(token), 409), reason);
    const other = { channelId: token.shop, phone: freshPhone(), text: 'o outro canal envia' };
    await stack.send(token.key, other);
    assert.deepEqual(await arrived(phone), [], 'what was accepted waits');
    await fault(token, {});
    await untilReadyAgain(token);
    assert.deepEqual(await untilArrived(phone, 1), ['espera'], 'and goes once the token is good');
  });

  test('access that is refused for a moment (401) leaves the channel ready, and loses nothing', async () => {
    const { blip } = orgs;
    const phone = freshPhone();
    await fault(blip, { status: 401, times: 1 });
    await send(blip, phone, 'espera');
    assert.equal((await readiness(blip)).ready, true);
    await send(blip, phone, 'depois');
    assert.deepEqual(await untilArrived(phone, 2), ['espera', 'depois']);
    assert.equal((await readiness(blip)).ready, true);
  });

  test('a new token given by the operator sends at once what waited for it', async () => {
    const { renewed } = orgs;
    const phone = freshPhone();
    await fault(renewed, { code: 10 });
    await send(renewed, phone, 'espera');
    await untilNotReady(renewed);
    await fault(renewed, {});
    const network = { accessToken: 'a-new-access-token' };
    await stack.apply({ orgs: [{ ref: renewed.ref, channels: [{ ref: 'main', network }] }] });
    assert.equal((await readiness(renewed)).ready, true, 'ready when the command returns');
    assert.deepEqual(await untilArrived(phone, 1), ['espera']);
  });

  test('a session that stopped (422 of the bridge) makes a web channel unready', async () => {
    const { web } = orgs;
    await stack.network.fault({ session: web.session, status: 422 });
    await stack.send(web.shopKey, { phone: freshPhone(), text: 'espera' });
    const channel = await waitUntil('the web channel is not ready', async () => {
      const found = (await stack.channels(web.shopKey))[0];
      return found?.ready === false ? found : null;
    });
    assert.match(channel.reason ?? '', /^\p{Lu}.+\.$/u);
  });

  test('a network that is down for a while loses nothing and keeps the order', async () => {
    const { down } = orgs;
    await fault(down, { status: 500 });
    const phone = freshPhone();
    const texts = Array.from({ length: 12 }, (_, index) => `apagão ${index}`);
    const sent: Sent[] = [];
    for (const text of texts) sent.push(await send(down, phone, text));
    const last = sent.at(-1);
    assert.ok(last);
    assert.deepEqual(await arrived(phone), []);
    await fault(down, {});
    assert.deepEqual(await untilArrived(phone, 12), texts);
    await stack.messageIn(down.key, last, 'read');
    assert.deepEqual(await arrived(phone), texts, 'nothing is doubled');
  });

  test('a disabled channel says so, refuses with 409, and goes on once it is enabled', async () => {
    const { off } = orgs;
    const apply = (enabled: boolean) =>
      stack.apply({ orgs: [{ ref: off.ref, channels: [{ ref: 'main', enabled }] }] });
    await apply(false);
    const { enabled, ready, reason } = await readiness(off);
    assert.deepEqual([enabled, ready], [false, false]);
    assert.equal(assertRefused(await refusedSend(off), 409), reason);
    const invalid = await stack.request('POST', '/api/v1/messages', {
      key: off.key,
      body: { channelId: off.main, phone: 'x', text: '' },
    });
    assertRefused(invalid, 422);
    await apply(true);
    const phone = freshPhone();
    await stack.messageIn(off.key, await send(off, phone, 'de volta'), 'read');
  });
});
