/** The agenda of deliveries: those that cannot be attempted hide no others for ever (agenda). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DeliveryFixture,
  UNREADABLE,
} from '../../../../support/actors/subscription/delivery-fixture.ts';
import { pluck } from '../../../../support/pluck.ts';

/** More than one poll reads. No subscription has enough deliveries in memory to be left out. */
const STUCK = 110;
const EACH = 95;

test('deliveries that cannot be attempted hide no other whose nudge was lost', async () => {
  const fixture = new DeliveryFixture();
  for (let n = 0; n < STUCK; n++) {
    fixture.subscription(`stuck${n}`, { secrets: [{ sealed: UNREADABLE, until: null }] });
    for (let each = 0; each < EACH; each++) fixture.record(`stuck${n}`, { nudge: false });
  }
  fixture.subscription('other');
  fixture.clock.advance(1_000);
  fixture.record('other', { nudge: false });
  await fixture.own();
  await fixture.pass(15_000, 5_000);
  assert.deepEqual(pluck(fixture.posts, 'url'), ['http://127.0.0.1/other']);
});
