/**
 * kill -9 at the two moments at which the outside world knows more than the service (I3, I29).
 * Either the network has a message, or a subscriber has a delivery, and the answer is not yet
 * recorded.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshPhone } from '../../support/api.ts';
import { killHard } from '../../support/kills.ts';
import { startStack } from '../../support/stack.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';
import { SCHEDULE } from './load-fixture.ts';

const settings = { EVENT_RETRY_SCHEDULE: SCHEDULE };
const stack = useStack(() => startStack({ settings }));
const subscriber = useSubscriber();
const { cut: org } = useOrganizations(stack, () => ({
  cut: { subscriptions: [{ ref: 'all', url: `${subscriber.url}/all`, events: ['message.sent'] }] },
}));

async function send(text: string, phone: string): Promise<string> {
  const body = { channelId: org.main, phone, text };
  return (await stack.send(org.key, body)).messageId;
}

test('cut off after the network was handed a message, it is not handed over twice', async () => {
  const phone = freshPhone();
  // The network accepts at once and answers late: the kill falls between the two.
  await stack.network.fault({ phoneNumberId: org.phoneNumberId, delayMs: 3_000, times: 1 });
  await send('first', phone);
  await waitFor(async () => (await stack.network.sent(phone)).length === 1, {
    what: 'the network has the message',
  });
  await killHard(stack, 'actors');
  await send('second', phone);
  await waitFor(async () => (await stack.network.sent(phone)).length >= 2, {
    what: 'the one behind it went too',
  });
  const arrived = (await stack.network.sent(phone)).map(({ text }) => text);
  assert.deepEqual(arrived, ['first', 'second']);
});

test('cut off after a subscriber got a delivery, it is the same delivery that comes again', async () => {
  subscriber.answer('/all', () => 'hang');
  const messageId = await send('told', freshPhone());
  const attempts = () => subscriber.received.filter(({ data }) => data.messageId === messageId);
  await waitFor(() => attempts().length === 1, { what: 'the first attempt' });
  subscriber.answer('/all', () => 200);
  await killHard(stack, 'actors');
  await waitFor(() => attempts().length > 1, {
    what: 'the attempt after the crash',
  });
  const mine = attempts();
  assert.equal(new Set(mine.map(({ delivery }) => delivery)).size, 1, 'one delivery');
  assert.equal(new Set(mine.map(({ bytes }) => bytes.toString('utf8'))).size, 1, 'the same bytes');
});
