/** Whether the checker of deliveries can fail at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDeliveries } from './deliveries.ts';
import { HistoryBuilder, SECRET } from './history-builder.ts';

function begun(secret = SECRET): HistoryBuilder {
  const message = (id: string, direction: string, status: string) => {
    return { id, direction, text: id, status };
  };
  const messages = [message('m1', 'out', 'read'), message('m2', 'in', 'received')];
  return new HistoryBuilder()
    .seen('subscription', { secret })
    .seen('read-conversation', { phone: '1', conversationId: 'c', status: 'open', messages })
    .seen('read-deal', { id: 'd1' });
}

function sent(builder: HistoryBuilder, delivery = 'a', messageId = 'm1'): HistoryBuilder {
  return builder.received(delivery, 'message.sent', { messageId });
}

function rest(builder: HistoryBuilder): HistoryBuilder {
  builder.received('b', 'message.received', { messageId: 'm2' });
  return builder.received('c', 'deal.created', { deal: { id: 'd1' } });
}

async function faults(builder: HistoryBuilder): Promise<readonly string[]> {
  return (await checkDeliveries(builder.history)).violations;
}

/** Attempts of one delivery, all refused but the last. */
function tried(builder: HistoryBuilder, attempts: number): HistoryBuilder {
  builder.answering(503);
  for (let attempt = 1; attempt < attempts; attempt++) sent(builder);
  return sent(builder.answering(200));
}

test('one delivery per event passes, also one that was refused six times', async () => {
  assert.deepEqual(await faults(rest(sent(begun()))), []);
  const builder = tried(rest(begun()), 7);
  assert.deepEqual(await faults(builder), []);
  const { counted } = await checkDeliveries(builder.history);
  assert.deepEqual(counted, {
    deliveries: 3,
    attemptsReceived: 9,
    eventsExpected: 3,
    refused: 6,
    receivedAgain: 0,
  });
});

test('an eighth attempt is found', async () => {
  assert.match((await faults(tried(rest(begun()), 8))).join(), /a came 8 times/);
});

test('one that comes again after it was taken is found, unless a fault explains it', async () => {
  const again = () => sent(sent(rest(begun())));
  assert.match((await faults(again())).join(), /a came again after it was answered 200/);
  const fault = { kind: 'kill', parts: ['nats'], from: 0, to: Number.MAX_SAFE_INTEGER };
  assert.equal((await faults(again().seen('fault', fault))).length, 1);
  assert.deepEqual(await faults(again().seen('fault', { ...fault, parts: ['actors-2'] })), []);
});

test('a lost one is found', async () => {
  assert.match((await faults(rest(begun()))).join(), /message.sent m1 made 0 deliveries/);
});

test('a second delivery of one event is found', async () => {
  const builder = rest(sent(sent(begun()), 'a2'));
  assert.match((await faults(builder)).join(), /message.sent m1 made 2 deliveries/);
});

test('other bytes under the same id are found', async () => {
  const builder = rest(sent(begun())).received('a', 'message.sent', { messageId: 'm1', more: 1 });
  assert.match((await faults(builder)).join(), /a came with 2 different bodies/);
});

test('an event of what is not there is found', async () => {
  const builder = rest(sent(sent(begun()), 'z', 'm9'));
  assert.match((await faults(builder)).join(), /message.sent m9 was told and is not there/);
});

test('a signature of another secret, or of other bytes, is found', async () => {
  assert.equal((await faults(rest(sent(begun('whsec_another'))))).length, 3);
  const builder = rest(sent(begun()));
  const history = builder.history.map((recorded) => {
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
