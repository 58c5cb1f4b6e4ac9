/** Batches of one tick: by key, bounded, each item once; and runs of one tick. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Batcher, onceATick } from '../../../../actors/runtime/concurrency.ts';

test('each item of a tick is in one batch of its key, in order and within the bound', async () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(items, fc.integer({ min: 1, max: 5 }), async (keys, itemsMax) => {
      const batches: { readonly key: string; readonly items: readonly number[] }[] = [];
      const batcher = new Batcher(async (batch: readonly number[], key) => {
        batches.push({ key, items: [...batch] });
        return batch;
      }, itemsMax);
      const results = await Promise.all(keys.map((key, n) => batcher.add(n, key)));
      results.forEach((batch, n) => {
        assert.ok(batch.includes(n));
      });
      for (const key of ['a', 'b', 'c']) {
        const ofKey = batches.filter((each) => each.key === key);
        const own = keys.flatMap((each, n) => (each === key ? [n] : []));
        const together = ofKey.flatMap((each) => each.items);
        assert.deepEqual(together, own);
        assert.equal(ofKey.length, Math.ceil(own.length / itemsMax));
      }
    }),
  );
});

test('the calls of one tick are one run, those of the next another', async () => {
  let runs = 0;
  const run = onceATick(() => void runs++);
  for (let n = 0; n < 1_000; n++) run();
  assert.equal(runs, 0);
  await Promise.resolve();
  assert.equal(runs, 1);
  run();
  await Promise.resolve();
  assert.equal(runs, 2);
});
