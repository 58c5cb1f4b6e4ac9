/** Deliveries whose owner is killed between the insert that claims them and the outcome. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { freshPhone } from '../../support/api.ts';
import { deliveriesOf } from '../../support/delivery.ts';
import { startStack } from '../../support/stack.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';

/** As many as are posted at once. */
const SENDS = 8;
/** Nothing is claimed by its insert while its owner is new (OWN_TIME_MS). */
const NEW_MS = 10_000;

const settings = { EVENT_RETRY_SCHEDULE: '3s,3s,3s,3s,3s,3s' };
const stack = useStack(() => startStack({ settings }));
let startedAt = 0;
before(() => {
  startedAt = performance.now();
});
const subscriber = useSubscriber();
const { shop } = useOrganizations(stack, () => ({
  shop: {
    subscriptions: [{ ref: 'all', url: `${subscriber.url}/all`, events: ['message.sent'] }],
  },
}));

async function sendMany(): Promise<void> {
  const { key, main } = shop;
  const sends = Array.from({ length: SENDS }, () =>
    stack.send(key, { channelId: main, phone: freshPhone(), text: 'olá' }),
  );
  await Promise.all(sends);
}

test('each is told once more, is counted twice, and nothing is told a third time', async () => {
  await sendMany();
  await subscriber.until('/all', SENDS);
  await waitFor(async () => performance.now() - startedAt > NEW_MS || null, {
    what: 'the owner is no new one',
  });
  subscriber.answer('/all', () => 'hang');
  await sendMany();
  const cut = (await subscriber.until('/all', 2 * SENDS)).slice(SENDS);
  process.kill(stack.pid('actors'), 'SIGKILL');
  subscriber.answer('/all', () => 200);
  const succeeded = async () => {
    const found = await deliveriesOf(stack, 'shop', '--status', 'succeeded');
    return found.length === 2 * SENDS ? found : null;
  };
  const deliveries = await waitFor(succeeded, { what: 'all are delivered' });
  const again = subscriber.at('/all').slice(2 * SENDS);
  const told = new Set(cut.map(({ delivery }) => delivery));
  const repeated = again.map(({ delivery }) => delivery).sort();
  assert.deepEqual(repeated, cut.map(({ delivery }) => delivery).sort());
  for (const { id, attempts } of deliveries) {
    const errors = attempts.map(({ error }) => error);
    assert.deepEqual(errors, told.has(id) ? ['interrupted', null] : [null], id);
  }
});
