/** The agenda of deliveries: what cannot be attempted hides nobody's for ever (agenda). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scene, UNREADABLE } from './scene.ts';

/** More than one look reads, of subscriptions of which none has enough in hand to be left out. */
const STUCK = 110;
const EACH = 95;

test('deliveries that cannot be attempted hide no other whose nudge was lost', async () => {
  const scene = new Scene();
  for (let n = 0; n < STUCK; n++) {
    scene.subscription(`stuck${n}`, { secrets: [{ sealed: UNREADABLE, until: null }] });
    for (let each = 0; each < EACH; each++) scene.record(`stuck${n}`, { nudge: false });
  }
  scene.subscription('other');
  scene.clock.advance(1_000);
  scene.record('other', { nudge: false });
  await scene.own();
  await scene.pass(15_000, 5_000);
  assert.deepEqual(
    scene.posts.map(({ url }) => url),
    ['http://127.0.0.1/other'],
  );
});
