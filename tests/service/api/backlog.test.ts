/** What waits in a channel's queue, by its urgency, as `GET /api/v1/channels` tells it (D426). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { ListChannelsAnswer } from '../../../shared/api/channel.ts';
import { contactDoes } from '../../support/api/content-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
/** What is queued stays queued for as long as the test looks. */
const SLOW = { pace: { perSecond: 1, pairBurst: 100, pairEvery: '1ms' } };
const { a } = useOrganizations(stack, { a: SLOW });
const EMPTY = { queued: 0, more: false, oldestQueuedAt: null };

async function backlogs(key = a.key) {
  const { json } = await stack.request('GET', '/api/v1/channels', { key });
  const { data } = v.parse(ListChannelsAnswer, json);
  return new Map(data.map(({ id, backlog }) => [id, backlog]));
}

const send = (phone: string, more: object = {}) =>
  stack.send(a.key, { channelId: a.main, phone, text: 'oi', ...more });

test('each urgency has its number and its oldest message; other channels have nothing', async () => {
  assert.deepEqual(
    [...(await backlogs()).values()],
    [a.main, a.shop].map(() => ({ reply: EMPTY, normal: EMPTY, bulk: EMPTY })),
  );
  const writer = freshPhone();
  await contactDoes(stack, { channelId: a.main, from: writer, text: 'oi' });
  const began = Date.now();
  for (let n = 0; n < 12; n++) await send(freshPhone(), { priority: 'bulk' });
  for (let n = 0; n < 5; n++) await send(freshPhone());
  for (let n = 0; n < 4; n++) await send(writer);
  const found = await backlogs();
  const { reply, normal, bulk } = found.get(a.main) ?? assert.fail('the channel');
  for (const [each, least, most] of [
    [reply, 1, 4],
    [normal, 1, 5],
    [bulk, 5, 12],
  ] as const) {
    assert.ok(each.queued >= least && each.queued <= most, JSON.stringify({ reply, normal, bulk }));
    assert.equal(each.more, false);
    const oldest = Date.parse(each.oldestQueuedAt ?? '');
    assert.ok(oldest >= began - 5_000 && oldest <= Date.now() + 5_000);
  }
  assert.deepEqual(found.get(a.shop), { reply: EMPTY, normal: EMPTY, bulk: EMPTY });
  assert.deepEqual([...(await backlogs(a.shopKey)).keys()], [a.shop]);
});
