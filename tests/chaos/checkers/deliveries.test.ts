/** Whether the checker of deliveries can fail at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDeliveries } from './deliveries.ts';
import { SECRET, Story } from './story.ts';

function begun(secret = SECRET): Story {
  const message = (id: string, direction: string, status: string) => {
    return { id, direction, text: id, status };
  };
  const messages = [message('m1', 'out', 'read'), message('m2', 'in', 'received')];
  return new Story()
    .seen('subscription', { secret })
    .seen('read-conversation', { phone: '1', conversationId: 'c', status: 'open', messages })
    .seen('read-deal', { id: 'd1' });
}

function sent(story: Story, delivery = 'a', messageId = 'm1'): Story {
  return story.received(delivery, 'message.sent', { messageId });
}

function rest(story: Story): Story {
  story.received('b', 'message.received', { messageId: 'm2' });
  return story.received('c', 'deal.created', { deal: { id: 'd1' } });
}

async function faults(story: Story): Promise<readonly string[]> {
  return (await checkDeliveries(story.history)).violations;
}

test('one delivery per event passes, also one that came seven times', async () => {
  assert.deepEqual(await faults(rest(sent(begun()))), []);
  const story = rest(begun());
  for (let attempt = 0; attempt < 7; attempt++) sent(story);
  assert.deepEqual(await faults(story), []);
  const { counted } = await checkDeliveries(story.history);
  assert.deepEqual(counted, {
    deliveries: 3,
    attemptsReceived: 9,
    eventsExpected: 3,
    receivedAgain: 1,
  });
});

test('an eighth attempt is found', async () => {
  const story = rest(begun());
  for (let attempt = 0; attempt < 8; attempt++) sent(story);
  assert.match((await faults(story)).join(), /a came 8 times/);
});

test('a lost one is found', async () => {
  assert.match((await faults(rest(begun()))).join(), /message.sent m1 made 0 deliveries/);
});

test('a second delivery of one event is found', async () => {
  const story = rest(sent(sent(begun()), 'a2'));
  assert.match((await faults(story)).join(), /message.sent m1 made 2 deliveries/);
});

test('other bytes under the same id are found', async () => {
  const story = rest(sent(begun())).received('a', 'message.sent', { messageId: 'm1', more: 1 });
  assert.match((await faults(story)).join(), /a came with 2 different bodies/);
});

test('an event of what is not there is found', async () => {
  const story = rest(sent(sent(begun()), 'z', 'm9'));
  assert.match((await faults(story)).join(), /message.sent m9 was told and is not there/);
});

test('a signature of another secret, or of other bytes, is found', async () => {
  assert.equal((await faults(rest(sent(begun('whsec_another'))))).length, 3);
  const story = rest(sent(begun()));
  const history = story.history.map((recorded) => {
    const { body } = recorded;
    const mine = typeof body === 'object' && body !== null && 'bytes' in body;
    if (recorded.op !== 'received' || !mine || !('delivery' in body)) return recorded;
    const bytes = Buffer.from(String(body.bytes), 'base64').toString('utf8');
    const longer = Buffer.from(`${bytes} `).toString('base64');
    return body.delivery === 'a' ? { ...recorded, body: { ...body, bytes: longer } } : recorded;
  });
  const { violations } = await checkDeliveries(history);
  assert.match(violations.join(), /a is not signed as it should be/);
});
