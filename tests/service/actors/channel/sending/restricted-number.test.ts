/** On the real service: a number that its network restricts, and an owner that is killed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import { freshPhone } from '../../../../support/api.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const HOUR_MS = 3_600_000;
const WATCH_MS = 1_500;

const stack = useStack();
const { shop } = useOrganizations(stack, { shop: {} });

/** As an owner before had reported it. */
async function restrict(): Promise<void> {
  const client = await MongoClient.connect(stack.runFile().mongodbUrl);
  const until = Date.now() + HOUR_MS;
  const restriction = { until, holdsUntil: until };
  const set = { 'channels.$.restriction': restriction };
  const filter = { 'channels.id': shop.main };
  await client.db('recado').collection('organizations').updateOne(filter, { $set: set });
  await client.close();
}

const send = (phone: string, text: string) =>
  stack.send(shop.key, { channelId: shop.main, phone, text });

async function untilSent(phone: string, text: string): Promise<void> {
  const sent = async () => (await stack.network.sent(phone)).some((each) => each.text === text);
  await waitUntil(`${text} is at the network`, sent);
}

test('the next owner holds first contacts back, and lets those go who write', async () => {
  const [known, stranger, other] = [freshPhone(), freshPhone(), freshPhone()];
  await stack.network.inbound({ channelId: shop.main, from: known, text: 'olá' });
  await restrict();
  process.kill(stack.pid('actors'), 'SIGKILL');
  const held = await send(stranger, 'fria');
  await send(other, 'outra fria');
  await send(known, 'resposta');
  await untilSent(known, 'resposta');
  const startedAt = performance.now();
  const watched = () => performance.now() - startedAt > WATCH_MS;
  await waitUntil('a while has passed', watched);
  assert.equal((await stack.network.sent(stranger)).length, 0);
  const history = await stack.history(shop.key, held.conversationId);
  assert.equal(history[0]?.status, 'queued');
  await stack.network.inbound({ channelId: shop.main, from: stranger, text: 'pode falar' });
  await untilSent(stranger, 'fria');
  assert.equal((await stack.network.sent(other)).length, 0);
});
