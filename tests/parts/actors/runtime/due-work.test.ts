/** Due work of one kind: tenures, saturated keys, and requests during a poll. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DueKind, DueWork } from '../../../../actors/runtime/due-work.ts';
import { OwnedPartitions, Tenure } from '../../../../actors/runtime/owned-partitions.ts';
import { pagesOf } from '../../../../actors/runtime/pages.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Filter, FindOptions, Stored } from '../../../support/plain-store.ts';

const PAGE = 3;
const ROOM = 4;

interface Job extends Stored {
  readonly partition: number;
  readonly subscriptionId: string;
  readonly createdAt: number;
}

/** Holds jobs of one key in one tenure, and fails if any is added after its end. */
class Holder {
  readonly jobs = new Set<string>();
  closed = false;
  isDisposable = false;

  add(id: string): void {
    assert.equal(this.closed, false, 'a job of an ended tenure');
    this.jobs.add(id);
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.closed = true;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((go) => setImmediate(go));
}

class DueFixture {
  readonly clock = new ManualClock();
  readonly database = new Database();
  readonly owned = new OwnedPartitions<Holder>((epoch) => new Tenure(epoch, () => new Holder()));
  /** Reads that wait for the test, when it holds them. */
  readonly held: (() => void)[] = [];
  holdsReads = false;
  reads = 0;
  leaseHeld = true;
  readonly due: DueWork<'deliveries', Job>;

  constructor(more: Partial<DueKind<'deliveries', Job>> = {}) {
    const find = async (collection: string, filter: Filter, options: FindOptions) => {
      this.reads++;
      const found = this.database.find(collection, filter, options);
      if (this.holdsReads) await new Promise<void>((resume) => this.held.push(resume));
      return found;
    };
    const environment = { clock: this.clock, log: SILENT, leaseHeld: () => this.leaseHeld };
    const isFull = ({ jobs }: Holder) => jobs.size >= ROOM;
    this.due = new DueWork<'deliveries', Job>(
      environment as never,
      { add: () => undefined },
      {
        collection: 'deliveries',
        owned: this.owned as never,
        due: (numbers) => ({ partition: { $in: numbers }, createdAt: { $lte: this.clock.now() } }),
        key: { path: 'subscriptionId', saturated: () => [...this.keysWhere(isFull)] },
        pages: (filter) =>
          pagesOf({ find } as never, {
            ...{
              collection: 'deliveries' as const,
              filter,
              size: PAGE,
              index: { partition: 1, createdAt: 1, _id: 1 },
            },
            by: { path: 'createdAt', of: ({ createdAt }) => createdAt },
          }),
        partitionOf: ({ partition }) => partition,
        work: ({ _id, partition, subscriptionId: key }) =>
          this.owned.get(partition)?.of(key).add(_id),
        failedMessage: 'poll failed',
        ...more,
      },
    );
  }

  *keysWhere(holds: (holder: Holder) => boolean): Iterable<string> {
    for (const number of this.owned.numbers) {
      for (const key of ['a', 'b', 'c']) {
        const holder = this.owned.get(number)?.find(key);
        if (holder && holds(holder)) yield key;
      }
    }
  }

  insert(jobs: readonly { readonly partition: number; readonly key: string }[]): void {
    jobs.forEach((job, n) => {
      const _id = `job_${String(n).padStart(4, '0')}`;
      const { partition, key: subscriptionId } = job;
      const document = { _id, createdAt: this.clock.now(), partition, subscriptionId };
      this.database.apply({ insert: 'deliveries', document });
    });
  }

  letReadsEnd(): void {
    for (const resume of this.held.splice(0)) resume();
  }
}

test('a saturated key hides the work of no other key', async () => {
  const jobs = fc.array(
    fc.record({ partition: fc.constant(1), key: fc.constantFrom('a', 'b', 'c') }),
    { minLength: 20, maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(jobs, async (inserted) => {
      const fixture = new DueFixture({ pagesMax: 4 });
      fixture.insert(inserted);
      const tenure = fixture.owned.acquire(1, 1);
      for (let polls = 0; polls < 4; polls++) {
        fixture.due.poll();
        await settle();
      }
      for (const key of ['a', 'b', 'c']) {
        const waiting = inserted.filter((job) => job.key === key).length;
        const { size } = tenure.of(key).jobs;
        assert.ok(size >= Math.min(waiting, ROOM), `${key}: ${size} of ${waiting}`);
      }
    }),
    { numRuns: 50 },
  );
});

test('a page of one tenure is not applied to the next, nor to a released partition', async () => {
  const change = fc.constantFrom('keep', 'release', 'next');
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 3 }), async (changes) => {
      const fixture = new DueFixture();
      fixture.insert(changes.map((_, partition) => ({ partition, key: 'a' })));
      changes.forEach((_, partition) => {
        fixture.owned.acquire(partition, 1);
      });
      fixture.holdsReads = true;
      fixture.due.poll();
      await settle();
      changes.forEach((each, partition) => {
        if (each === 'release') fixture.owned.release(partition);
        if (each === 'next') fixture.owned.acquire(partition, 2);
      });
      fixture.letReadsEnd();
      await settle();
      changes.forEach((each, partition) => {
        const held = fixture.owned.get(partition)?.find('a')?.jobs.size ?? 0;
        assert.equal(held, each === 'keep' ? 1 : 0, each);
      });
    }),
    { numRuns: 27 },
  );
});

test('requests during a poll cause one more, which finds what the first one missed', async () => {
  const fixture = new DueFixture();
  const tenure = fixture.owned.acquire(1, 1);
  fixture.holdsReads = true;
  fixture.due.poll();
  await settle();
  fixture.insert([{ partition: 1, key: 'a' }]);
  for (let n = 0; n < 5; n++) fixture.due.poll();
  assert.equal(fixture.reads, 1, 'polls overlap');
  fixture.letReadsEnd();
  await settle();
  fixture.letReadsEnd();
  await settle();
  assert.deepEqual([fixture.reads, tenure.of('a').jobs.size], [2, 1]);
});

test('polls that are wanted soon share one', async () => {
  const fixture = new DueFixture();
  fixture.owned.acquire(1, 1);
  for (let n = 0; n < 5; n++) fixture.due.pollSoon();
  assert.equal(fixture.clock.waiting, 1);
  fixture.clock.advance(20);
  await settle();
  assert.deepEqual([fixture.reads, fixture.clock.waiting], [1, 0]);
});

test('without a partition, the lease or room nothing is asked or read', async () => {
  let hasCapacity = true;
  const fixture = new DueFixture({ hasCapacity: () => hasCapacity });
  assert.equal(fixture.due.question(), null);
  fixture.owned.acquire(1, 1);
  assert.notEqual(fixture.due.question(), null);
  hasCapacity = false;
  assert.equal(fixture.due.question(), null);
  fixture.due.poll();
  await settle();
  hasCapacity = true;
  fixture.leaseHeld = false;
  fixture.due.poll();
  await settle();
  assert.equal(fixture.reads, 0);
});

test('a tenure keeps its workers under its epoch, and closes them with it', () => {
  const owned = new OwnedPartitions<Holder>((epoch) => new Tenure(epoch, () => new Holder()));
  const first = owned.acquire(1, 1);
  const holder = first.of('a');
  assert.equal(owned.acquire(1, 1).of('a'), holder);
  const isHeld = owned.tenuresNow();
  assert.deepEqual([isHeld(1), isHeld(2)], [true, false]);
  const second = owned.acquire(1, 2);
  assert.deepEqual([holder.closed, isHeld(1)], [true, false]);
  const other = second.of('a');
  second.dispose('a', holder);
  second.dispose('a', other);
  assert.equal(second.find('a'), other, 'neither another worker nor a busy one is disposed');
  other.isDisposable = true;
  second.disposeIdle();
  assert.deepEqual([second.find('a'), other.closed], [undefined, true]);
});
