/** Expired documents are swept in small batches, except those that are used again meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PURGE_BATCH, purge } from '../../../actors/runtime/purge.ts';
import { fileEngine } from '../../support/engine.ts';
import type { Store, Write } from '../../support/plain-store.ts';

const COLLECTION = 'idempotency';
const OLD = 1;
const COUNT = 2 * PURGE_BATCH + 200;

function removedBy(write: Write): number {
  const ids = 'remove' in write ? Reflect.get(Object(write.filter._id), '$in') : null;
  return Array.isArray(ids) ? ids.length : Number.POSITIVE_INFINITY;
}

const engine = fileEngine();

test('a sweep holds nobody up and loses nothing', async () => {
  const { store } = engine;
  const old = Array.from({ length: COUNT }, (_, n) => ({ _id: `old_${n}`, since: OLD }));
  await store.commit(old.map((document) => ({ insert: COLLECTION, document })));
  const batches: number[] = [];
  const watched: Pick<Store, 'find' | 'commit'> = {
    find: store.find,
    commit: async (writes) => {
      batches.push(...writes.map(removedBy));
      // The document is used again between its discovery and its removal.
      const change = { $set: { since: 2 } };
      const taken = { update: COLLECTION, filter: { _id: 'old_0' }, change } as const;
      if (batches.length === 1) await store.commit([taken]);
      return store.commit(writes);
    },
  };
  const filter = { since: { $lte: OLD } };
  assert.equal(await purge(watched, { collection: COLLECTION, filter }), COUNT);
  assert.deepEqual(batches, [PURGE_BATCH, PURGE_BATCH, 200]);
  const left = (await store.find(COLLECTION, {})).map(({ _id }) => _id);
  assert.deepEqual(left, ['old_0']);
});
