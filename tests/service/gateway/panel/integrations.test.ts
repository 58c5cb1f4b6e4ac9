/** Channels, keys, subscriptions and deliveries: secrets are shown once, and reach no log. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { assertStatus, parseAnswer } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import { assertSigned } from '../../../support/delivery.ts';
import type { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { useSubscriber } from '../../../support/stack-hooks.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { assertInNoLog } from './in-no-log.ts';

before(startPanel);

const DataSchema = v.object({ data: v.looseObject({ id: v.string() }) });

async function changed(browser: Browser, path: string, body: object = {}) {
  const answer = await browser.call('POST', path, { body });
  assert.ok(answer.status < 300, answer.text);
  return v.parse(DataSchema, answer.json).data;
}

async function auditOf(id: string): Promise<readonly string[]> {
  const entries = await rows(await panel().signedInAs('ana'), '/panel/api/audit?limit=200');
  const own = entries.filter(({ subject }) => JSON.stringify(subject).includes(id));
  assert.ok(own.every(({ name }) => name === 'Ana'));
  return own.map(({ operation }) => String(operation));
}

describe('channels and keys', () => {
  test('everyone sees a channel’s state and backlog; addresses and keys are the admin’s', async () => {
    const { shop } = panel();
    const own = async (member: string) =>
      (await rows(await panel().signedInAs(member), '/panel/api/channels')).find(
        ({ id }) => id === shop.main,
      );
    const seen = await own('caio');
    assert.deepEqual([seen?.ready, seen?.reason, seen?.queued], [true, null, 0]);
    assert.deepEqual([seen?.more, seen?.oldestQueuedAt], [false, null]);
    assert.equal(v.parse(v.object({ perSecond: v.number() }), seen?.pace).perSecond, 10_000);
    const hidden = ['keys', 'inboundWebhookUrl', 'networkWebhookUrl', 'network'];
    assert.deepEqual(
      hidden.filter((name) => name in (seen ?? {})),
      [],
    );
    const whole = await own('ana');
    assert.match(String(whole?.inboundWebhookUrl), new RegExp(`/channel/${shop.main}$`));
    assert.match(String(whole?.networkWebhookUrl), /\/networks\/cloud\//);
  });

  test('a channel’s key is shown once, works, shows its use, and is revoked at once', async () => {
    const { shop, stack } = panel();
    const ana = await panel().signedInAs('ana');
    const path = `/panel/api/channels/${shop.main}/keys`;
    const headers = { 'idempotency-key': `key-${freshPhone()}` };
    const answer = await ana.call('POST', path, { body: { name: 'Site' }, headers });
    const { data } = parseAnswer(
      answer,
      v.object({ data: v.object({ id: v.string(), token: v.string(), prefix: v.string() }) }),
      201,
    );
    const { id, token, prefix } = data;
    const repeat = await ana.call('POST', path, { body: { name: 'Site' }, headers });
    assert.ok(repeat.status === 201 && !repeat.text.includes(token), 'the answer is kept nowhere');
    const keyOfChannel = async () => {
      const channels = await rows(ana, '/panel/api/channels');
      const { keys } = v.parse(
        v.object({ keys: v.array(v.looseObject({ id: v.string() })) }),
        channels.find((each) => each.id === shop.main),
      );
      return keys.find((each) => each.id === id);
    };
    const unused = await keyOfChannel();
    assert.deepEqual([unused?.prefix, unused?.lastUsedAt], [prefix, null]);
    const used = await stack.conversations(token);
    assert.ok(Array.isArray(used.data));
    assert.match(String((await keyOfChannel())?.lastUsedAt), /^\d{4}-/);
    const listed = await ana.call('GET', '/panel/api/keys');
    assert.ok(listed.text.includes(prefix) && !listed.text.includes(token));
    await changed(ana, `/panel/api/keys/${id}/revoke`);
    assertStatus(await stack.request('GET', '/api/v1/me', { key: String(token) }), 401);
    assert.equal(await keyOfChannel(), undefined);
    assert.deepEqual(await auditOf(id), ['revokeKey', 'createChannelKey']);
    const audit = await ana.call('GET', '/panel/api/audit?limit=200');
    assert.ok(!audit.text.includes(token));
    assertInNoLog(panel().stack.dataDir, [token]);
  });

  test('a key of the organization names no channel, one of a channel has to', async () => {
    const ana = await panel().signedInAs('ana');
    const create = (body: object) => ana.call('POST', '/panel/api/keys', { body });
    const { main } = panel().shop;
    assert.equal((await create({ name: 'ERP', scope: 'account' })).status, 201);
    assert.equal((await create({ name: 'ERP', scope: 'account', channelId: main })).status, 422);
    assert.equal((await create({ name: 'ERP', scope: 'channel' })).status, 422);
    assert.equal((await create({ name: '  ', scope: 'account' })).status, 422);
    const foreign = { name: 'ERP', scope: 'channel', channelId: panel().other.main };
    assert.equal((await create(foreign)).status, 404);
    const answer = await ana.call('POST', '/panel/api/keys/none_1234/revoke');
    assert.equal(answer.status, 404);
    assert.match(answer.text, /Chave não encontrada/);
  });
});

describe('subscriptions and deliveries', () => {
  const subscriber = useSubscriber();

  test('a subscription delivers under its secret, is changed, rotated and disabled', async () => {
    const ana = await panel().signedInAs('ana');
    const path = '/panel/api/subscriptions';
    const url = `${subscriber.url}/first`;
    const made = await changed(ana, path, { url, events: ['message.sent'] });
    const { id, secret } = made;
    assert.match(String(secret), /^whsec_/);
    await send(ana);
    const [received] = await subscriber.until('/first', 1);
    assert.ok(received);
    await assertSigned(received, String(secret));
    assert.ok(!(await ana.call('GET', path)).text.includes(String(secret)));
    const moved = await changed(ana, `${path}/${id}`, { url: `${subscriber.url}/second` });
    assert.deepEqual([moved.url, moved.secret], [`${subscriber.url}/second`, undefined]);
    const rotated = await changed(ana, `${path}/${id}/rotate`);
    assert.notEqual(rotated.secret, secret);
    await send(ana);
    const [next] = await subscriber.until('/second', 1);
    assert.ok(next);
    const disabled = await changed(ana, `${path}/${id}`, { enabled: false });
    assert.equal(disabled.enabled, false);
    assert.equal((await changed(ana, `${path}/${id}`, { enabled: true })).enabled, true);
    assert.deepEqual(await auditOf(id), [
      ...['changeSubscription', 'changeSubscription', 'rotateSubscription'],
      ...['changeSubscription', 'createSubscription'],
    ]);
    assertInNoLog(panel().stack.dataDir, [String(secret), String(rotated.secret)]);
    const eve = await panel().signedInAs('eve', panel().other.ref);
    assert.equal((await eve.call('POST', `${path}/${id}`, { body: {} })).status, 404);
    assert.equal((await eve.call('POST', `${path}/${id}/rotate`)).status, 404);
    for (const body of [{ url: 'ftp://x' }, { url, events: [] }, { url, events: ['all'] }]) {
      assert.equal((await ana.call('POST', path, { body })).status, 422);
    }
    await changed(ana, `${path}/${id}`, { enabled: false });
  });

  test('an address inside the network is refused in Portuguese', async () => {
    const ana = await panel().signedInAs('ana');
    const body = { url: 'http://10.0.0.1/recado' };
    const answer = await ana.call('POST', '/panel/api/subscriptions', { body });
    assert.equal(answer.status, 422, answer.text);
    assert.match(answer.text, /"path":"url","message":"O serviço não entrega/);
  });

  test('a failed delivery shows its body and answers, and is sent once more', async () => {
    const ana = await panel().signedInAs('ana');
    subscriber.answer('/third', () => 500);
    const made = { url: `${subscriber.url}/third`, events: ['message.sent'] };
    const { id } = await changed(ana, '/panel/api/subscriptions', made);
    await send(ana);
    await subscriber.until('/third', 1);
    const path = `/panel/api/deliveries?subscriptionId=${id}`;
    const AttemptSchema = v.object({ attempts: v.array(v.object({ status: v.number() })) });
    const listed = await waitUntil('the failed attempt', async () => {
      const [first] = await rows(ana, path);
      return first && v.parse(AttemptSchema, first).attempts.length > 0 ? first : null;
    });
    const shown = await ana.call('GET', `/panel/api/deliveries/${listed.id}`);
    assert.match(shown.text, /"response":"received"/);
    assert.match(shown.text, /"body":"\{\\"event\\":\\"message\.sent/);
    const eve = await panel().signedInAs('eve', panel().other.ref);
    assert.equal((await eve.call('GET', `/panel/api/deliveries/${listed.id}`)).status, 404);
    const retry = { body: { ids: [listed.id] } };
    assertStatus(await eve.call('POST', '/panel/api/deliveries/retry', retry), 404);
    subscriber.answer('/third', () => 200);
    const retried = await ana.call('POST', '/panel/api/deliveries/retry', retry);
    assert.match(retried.text, /"retried":1/);
    await waitUntil(
      'the delivery has succeeded',
      async () => (await rows(ana, `${path}&status=succeeded`))[0] ?? null,
    );
    assert.deepEqual(await rows(ana, `${path}&status=failed`), []);
    assert.deepEqual(await rows(ana, `${path}&until=2020-01-01T00:00:00Z`), []);
    const since = new Date(Date.now() - 60_000).toISOString();
    const range = { body: { subscriptionId: id, since } };
    const nothing = await ana.call('POST', '/panel/api/deliveries/retry', range);
    assert.match(nothing.text, /"retried":0,"nextSince":null,"until":"\d{4}/);
    assertStatus(await eve.call('POST', '/panel/api/deliveries/retry', range), 404);
    assert.deepEqual(await auditOf(id), [
      ...['retryDeliveries', 'retryDeliveries', 'createSubscription'],
    ]);
    const page = await ana.call('GET', `${path}&limit=1`);
    assert.match(page.text, /"page":1,"limit":1,"more":false/);
    await changed(ana, `/panel/api/subscriptions/${id}`, { enabled: false });
  });

  test('a retry is of ids or of a range, and a list within its bounds', async () => {
    const ana = await panel().signedInAs('ana');
    const range = { subscriptionId: 'sub_1', since: '2026-01-02T03:04:05Z' };
    for (const body of [{}, { subscriptionId: 'sub_1' }, { ...range, ids: ['dlv_1'] }]) {
      assertStatus(await ana.call('POST', '/panel/api/deliveries/retry', { body }), 422);
    }
    const path = '/panel/api/deliveries';
    assert.equal((await ana.call('GET', `${path}?page=100000`)).status, 422);
    assert.equal((await ana.call('GET', `${path}?since=ontem`)).status, 422);
  });

  async function send(browser: Browser): Promise<void> {
    const body = { channelId: panel().shop.main, phone: freshPhone(), text: 'Olá!' };
    assertStatus(await browser.call('POST', '/api/v1/messages', { body }), 201);
  }
});
