/**
 * A campaign that is stopped: what waits in bulk, one message that is cancelled, and all of them by
 * the command line (D425, D427).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { ListChannelsAnswer } from '../../../shared/api/channel.ts';
import { assertRefused, freshPhone, type Sent } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { operatorsActs } from '../infra/programs/cli/operators-acts.ts';

const stack = useStack();
/** What is queued stays queued for as long as the test looks. */
const SLOW = { pace: { perSecond: 1, pairBurst: 100, pairEvery: '1ms' } };
const { one, all, other } = useOrganizations(stack, { one: SLOW, all: SLOW, other: {} });
type Org = typeof one;

const send = (org: Org, phone: string, text: string, more: object = { priority: 'bulk' }) =>
  stack.send(org.key, { channelId: org.main, phone, text, ...more });

const cancel = ({ messageId }: Sent, key: string) =>
  stack.call('POST', `/api/v1/messages/${messageId}/cancel`, { key });

async function backlogOf(org: Org, id = org.main) {
  const { json } = await stack.request('GET', '/api/v1/channels', { key: org.key });
  const { data } = v.parse(ListChannelsAnswer, json);
  return data.find((channel) => channel.id === id)?.backlog ?? assert.fail('the channel');
}

test('a queued bulk message is cancelled once and for all; those around it go in order', async () => {
  const phone = freshPhone();
  const sent: Sent[] = [];
  for (let n = 0; n < 6; n++) sent.push(await send(one, phone, `${n}`));
  const fourth = sent[3] ?? assert.fail();
  assertRefused(await cancel(fourth, other.key), 404);
  assertRefused(await cancel(fourth, one.shopKey), 403);
  const first = await cancel(fourth, one.mainKey);
  assert.equal(first.status, 200, first.text);
  const { data } = first.json as { data: { status: string; priority: string } };
  assert.deepEqual([data.status, data.priority], ['cancelled', 'bulk']);
  assert.deepEqual((await cancel(fourth, one.key)).json, first.json);
  await waitUntil('the others go', async () => (await stack.network.sent(phone)).length === 5);
  const texts = (await stack.network.sent(phone)).map(({ text }) => text);
  assert.deepEqual(texts, ['0', '1', '2', '4', '5']);
  assert.match(assertRefused(await cancel(sent[0] ?? assert.fail(), one.key), 409), /a caminho/);
  const plain = await send(one, phone, 'plain', {});
  assert.match(assertRefused(await cancel(plain, one.key), 409), /não está agendada/);
});

const CancelledSchema = v.object({ channelId: v.string(), cancelled: v.number() });
const cancelAll = async (org: Org) =>
  v.parse(
    CancelledSchema,
    await stack.ask('messages', 'cancel', '--org', org.ref, '--channel', 'main', '--bulk'),
  );

test('the command line cancels all that waits in bulk, tells how many, and is in the audit log', async () => {
  assert.deepEqual(await backlogOf(all), {
    reply: { queued: 0, more: false, oldestQueuedAt: null },
    normal: { queued: 0, more: false, oldestQueuedAt: null },
    bulk: { queued: 0, more: false, oldestQueuedAt: null },
  });
  const began = Date.now();
  const sent = await Promise.all(
    Array.from({ length: 300 }, (_, n) => send(all, freshPhone(), `campanha ${n}`)),
  );
  const plain = await send(all, freshPhone(), 'aviso', {});
  const { bulk, reply } = await backlogOf(all);
  assert.ok(bulk.queued > 200 && bulk.queued <= 300 && !bulk.more, JSON.stringify(bulk));
  assert.ok(Date.parse(bulk.oldestQueuedAt ?? '') >= began - 5_000);
  assert.equal(reply.queued, 0);
  const { channelId, cancelled } = await cancelAll(all);
  assert.equal(channelId, all.main);
  assert.ok(cancelled > 200, `${cancelled}`);
  assert.equal((await cancelAll(all)).cancelled, 0, 'nothing is left');
  assert.equal((await backlogOf(all)).bulk.queued, 0);
  assert.deepEqual(await operatorsActs(stack, all.id, all.main), ['cancelBulk']);
  await stack.messageIn(all.key, plain, 'read');
  const statuses = await Promise.all(sent.map((each) => statusOf(each)));
  assert.equal(statuses.filter((status) => status === 'cancelled').length, cancelled);
});

async function statusOf({ messageId }: Sent): Promise<string> {
  const { json } = await stack.request('GET', `/api/v1/messages/${messageId}`, { key: all.key });
  return (json as { data: { status: string } }).data.status;
}
