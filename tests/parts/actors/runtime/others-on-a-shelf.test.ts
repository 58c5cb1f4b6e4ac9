/** A page that is full of another owner's work, from before documents named their partition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DueWork, type Pages } from '../../../../actors/runtime/due-work.ts';
import { OwnedPartitions, Tenure } from '../../../../actors/runtime/owned-partitions.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Document, Filter } from '../../../support/plain-store.ts';

interface Job extends Document {
  readonly key: string;
}

const NUMBERS: Readonly<Record<string, number>> = { own: 1, other: 0 };
const numberOf = (key: string) => NUMBERS[key] ?? -1;
const PAGES_MAX = 2;

const worker = () => ({ drain: async () => undefined, close: () => undefined, isDisposable: true });

function fixture() {
  const clock = new ManualClock();
  const owned = new OwnedPartitions((epoch) => new Tenure(epoch, worker));
  const jobs = [...Array.from({ length: 9 }, () => 'other'), 'own'].map((key, n): Job => {
    return { _id: `job_${n}`, key };
  });
  const done: string[] = [];
  const filters: Filter[] = [];
  async function* pagesOf(filter: () => Filter): Pages<Job> {
    const asked = filter();
    filters.push(asked);
    const { $nin = [] } = (asked.subscriptionId ?? {}) as { readonly $nin?: readonly string[] };
    const left = jobs.filter(({ key }) => !$nin.includes(key));
    for (let from = 0; from < left.length; from += 2) yield left.slice(from, from + 2);
  }
  const due = new DueWork<'deliveries', Job>(
    { clock, log: SILENT, leaseHeld: () => true },
    { add: () => undefined },
    {
      collection: 'deliveries',
      owned,
      due: () => ({}),
      key: {
        ...{ path: 'subscriptionId' as const, saturated: () => [] },
        others: { of: ({ key }) => key, partitionOf: numberOf },
      },
      pages: pagesOf,
      pagesMax: PAGES_MAX,
      partitionOf: ({ key }) => numberOf(key),
      work: ({ _id }) => void done.push(_id),
      failedMessage: 'failed',
    },
  );
  return { clock, owned, due, done, filters };
}

const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((go) => setImmediate(go));
};

test('the work behind it is found, and the other’s once its partition is acquired', async () => {
  const { clock, owned, due, done, filters } = fixture();
  owned.acquire(1, 1);
  due.poll();
  await turns();
  assert.deepEqual(done, [], 'the pages held nothing of its own');
  clock.advance(20);
  await turns();
  assert.deepEqual(done, ['job_9']);
  assert.deepEqual(filters.at(-1), { subscriptionId: { $nin: ['other'] } });
  const read = filters.length;
  clock.advance(1_000);
  await turns();
  assert.equal(filters.length, read, 'and it is not read again for that');

  owned.acquire(0, 2);
  due.poll();
  await turns();
  assert.deepEqual(filters.at(-1), {});
  assert.deepEqual(done.slice(1), ['job_0', 'job_1', 'job_2', 'job_3']);
});
