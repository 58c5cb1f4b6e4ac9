/**
 * Agendas on the real engine: however many partitions a process has, a read of the oldest merges at
 * most 64 ranges of keys in the order of time, and reads no backlog of another owner of a shelf.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onShelves } from '../../../../actors/runtime/shelves.ts';
import {
  EVERY_PARTITION,
  PARTITIONS_PER_SHELF,
  shelfOf,
} from '../../../../shared/wire/subjects.ts';
import { fileEngine } from '../../../support/engine.ts';

const engine = fileEngine();
const LIMIT = 20;
/** Of each partition, and of the one that another process has. */
const [EACH, BACKLOG] = [3, 4_000];
const SHARED = 5 * PARTITIONS_PER_SHELF;
const OTHERS = SHARED + 1;

interface Job {
  readonly _id: string;
  readonly partition: number;
  readonly place?: number;
  readonly remindAt: number;
}

const tasks = () => engine.mongo.db.collection<Job>('tasks');

before(async () => {
  const jobs: Job[] = EVERY_PARTITION.flatMap((place) =>
    Array.from({ length: EACH }, (_, n) => {
      const at = 10_000 + place + n * EVERY_PARTITION.length;
      return { _id: `${place}-${n}`, partition: shelfOf(place), place, remindAt: at };
    }),
  );
  const backlog = Array.from({ length: BACKLOG }, (_, n) => {
    return { _id: `other-${n}`, partition: shelfOf(OTHERS), place: OTHERS, remindAt: n };
  });
  const old = { _id: 'old', partition: shelfOf(SHARED), remindAt: BACKLOG + 1 };
  await tasks().insertMany([...jobs, ...backlog, old]);
});

async function read(numbers: readonly number[]) {
  const filter = { ...onShelves(numbers), remindAt: { $lte: 1_000_000 } };
  const query = () =>
    tasks()
      .find(filter as object)
      .sort({ remindAt: 1, _id: 1 })
      .limit(LIMIT);
  const plan = await query().explain('executionStats');
  const { totalKeysExamined, totalDocsExamined } = plan.executionStats;
  const isSorted = JSON.stringify(plan.queryPlanner.winningPlan).includes('"SORT"');
  const ids = (await query().toArray()).map(({ _id }) => _id);
  return { ids, isSorted, keys: Number(totalKeysExamined), documents: Number(totalDocsExamined) };
}

test('all partitions cost one process no more keys than shelves, and no sort', async () => {
  const whole = await read(EVERY_PARTITION);
  assert.equal(whole.isSorted, false);
  assert.ok(whole.keys <= 64 + 2 * LIMIT, `${whole.keys} keys`);
  assert.deepEqual(whole.ids.slice(0, 2), ['other-0', 'other-1']);
});

test('of a shelf with several owners another one’s backlog is not read', async () => {
  const numbers = EVERY_PARTITION.filter((number) => number !== OTHERS);
  const some = await read(numbers);
  assert.equal(some.isSorted, false);
  assert.equal(some.ids[0], 'old', 'one that names no partition is read by each');
  assert.deepEqual(some.ids.slice(1, 3), ['0-0', '1-0']);
  assert.ok(some.documents <= 3 * LIMIT, `${some.documents} documents`);
  const one = await read([SHARED]);
  assert.deepEqual(one.ids, ['old', ...Array.from({ length: EACH }, (_, n) => `${SHARED}-${n}`)]);
  assert.ok(one.documents <= LIMIT, `${one.documents} documents`);
});
