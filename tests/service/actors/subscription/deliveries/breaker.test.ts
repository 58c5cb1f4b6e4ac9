/** A dead subscriber and its breaker, on the real service (D39, D40). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshPhone } from '../../../../support/api.ts';
import { deliveriesOf } from '../../../../support/delivery.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const SENDS = 25;
/** The first probe comes 30 s after the breaker has opened. */
const PROBE_MS = 30_000;

const stack = useStack();
const subscriber = useSubscriber();
const { shop } = useOrganizations(stack, () => {
  const subscriptions = ['dead', 'well'].map((ref) => ({
    ref,
    url: `${subscriber.url}/${ref}`,
    events: ['message.sent'],
  }));
  return { shop: { subscriptions } };
});

async function sendMany(count: number): Promise<void> {
  const { key, main: channelId } = shop;
  const sends = Array.from({ length: count }, (_, n) =>
    stack.send(key, { channelId, phone: freshPhone(), text: `n.º ${n}` }),
  );
  await Promise.all(sends);
}

const parkedOf = () =>
  deliveriesOf(stack, shop.ref, '--subscription', 'dead', '--status', 'parked');

test('it opens on a dead subscriber, harms no other, survives its owner, and closes', async () => {
  // All are there before the first failure: none of them is repeated before the breaker opens.
  const accepted = Promise.withResolvers<number>();
  subscriber.answer('/dead', () => accepted.promise);
  await sendMany(SENDS);
  // The healthy one is served while the dead one has not answered once.
  await subscriber.until('/well', SENDS);
  accepted.resolve(500);
  await waitUntil('all are parked', async () => (await parkedOf()).length === SENDS);
  const spent = subscriber.at('/dead').length;
  assert.ok(spent >= 10 && spent <= SENDS, `${spent} attempts before it opened`);
  const openedAt = subscriber.at('/dead').at(-1)?.at ?? 0;

  // A retry by hand goes past it, and changes nothing while the subscriber is dead.
  const [one] = await parkedOf();
  assert.deepEqual(await stack.ask('deliveries', 'retry', one?.id ?? ''), { retried: 1 });
  await subscriber.until('/dead', spent + 1);
  assert.equal(subscriber.at('/dead').at(-1)?.delivery, one?.id);
  await waitUntil('it is parked again', async () => (await parkedOf()).length === SENDS);

  process.kill(stack.pid('actors'), 'SIGKILL');
  await sendMany(5);
  await waitUntil('parked as well', async () => (await parkedOf()).length === SENDS + 5);
  await subscriber.until('/well', SENDS + 5);

  // A slow machine may come here after the first probe, which finds the subscriber dead.
  const probes = subscriber.at('/dead').length - spent - 1;
  assert.ok(probes <= 1, `${probes} attempts while it is open`);
  subscriber.answer('/dead', () => 200);
  const done = async () =>
    (await deliveriesOf(stack, shop.ref, '--subscription', 'dead', '--status', 'succeeded')).length;
  const what = 'everything is delivered';
  await waitUntil(what, async () => (await done()) === SENDS + 5);
  const after = subscriber.at('/dead').slice(spent + 1);
  const waitedMs = (after[0]?.at ?? 0) - openedAt;
  assert.ok(waitedMs >= PROBE_MS - 1_000, 'the next owner knows that it is open until its probe');
  const ids = after.slice(probes).map(({ delivery }) => delivery);
  assert.deepEqual([ids.length, new Set(ids).size], [SENDS + 5, SENDS + 5], 'each once');
  const all = await deliveriesOf(stack, shop.ref, '--subscription', 'dead');
  assert.ok(all.every(({ attempts }) => attempts.length <= 4));
});
