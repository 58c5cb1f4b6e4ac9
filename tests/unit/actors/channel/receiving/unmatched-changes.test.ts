/** Changes that come before their message (actors/channel). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnmatchedChanges } from '../../../../../actors/channel/receiving/unmatched-changes.ts';
import {
  sweepUnmatchedReceipts,
  UNMATCHED_TTL_MS,
} from '../../../../../actors/channel/sending/unmatched-receipts.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Store, Stored } from '../../../../support/plain-store.ts';

const NAME = 'cnv_1/in/3EB0';

function createFixture() {
  const clock = new ManualClock();
  const store = modelStore(new Database());
  let reads = 0;
  const counted: Store = {
    ...store,
    byId: <T extends Stored>(collection: string, id: string) => {
      reads++;
      return store.byId<T>(collection, id);
    },
  };
  const open = () => new UnmatchedChanges({ store: counted, clock });
  return { clock, store, open, reads: () => reads };
}

test('of one message the newest edit is kept, then a deletion', async () => {
  const { open } = createFixture();
  const changes = open();
  await changes.keep(NAME, { type: 'deletion', at: 5 });
  for (const at of [2, 3, 1]) await changes.keep(NAME, { type: 'edit', at, text: `${at}` });
  assert.deepEqual(await changes.find(NAME), [
    { type: 'edit', at: 3, text: '3' },
    { type: 'deletion', at: 5 },
  ]);
  await changes.forget(NAME);
  assert.deepEqual(await changes.find(NAME), []);
});

test('the next owner finds them, until they are swept', async () => {
  const { open, clock, store } = createFixture();
  await open().keep(NAME, { type: 'edit', at: 1, text: 'nova' });
  const next = open();
  assert.equal((await next.find(NAME)).length, 1);
  clock.advance(UNMATCHED_TTL_MS + 1);
  await sweepUnmatchedReceipts({ store, clock });
  assert.deepEqual(await open().find(NAME), []);
});

test('an owner of a day reads only what it has kept itself', async () => {
  const { open, clock, reads } = createFixture();
  const changes = open();
  clock.advance(UNMATCHED_TTL_MS);
  await changes.keep(NAME, { type: 'edit', at: 1, text: 'nova' });
  assert.deepEqual(await changes.find('cnv_1/in/other'), []);
  assert.equal(reads(), 0);
  assert.equal((await changes.find(NAME)).length, 1);
  assert.equal(reads(), 1);
});
