/**
 * Pages of a list, deep ones too, on the model of the store (contract section 4; actors/queries/
 * page): the order is the newest first, and the id decides between equals from either end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Page, pageOf } from '../../actors/queries/page.ts';
import { countAll } from '../../actors/tally/count.ts';
import { TASK_TALLY } from '../../actors/tally/tallied.ts';
import { TallyWishes } from '../../actors/tally/wishes.ts';
import type { World } from '../../actors/world.ts';
import type { Store } from '../../shared/ports.ts';
import { modelStore } from '../fences/model-store.ts';
import { ManualClock } from '../gateway/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';

const ORG = 'org_1';
const LISTED = 1_730;
/** So many of each moment. */
const EQUAL = 7;
const LIMIT = 100;

interface Task {
  readonly _id: string;
  readonly state: { readonly orgId: string; readonly done: boolean; readonly createdAt: number };
}

const taskAt = (n: number): Task => ({
  // Neither in the order of creation nor against it.
  _id: `task_${String((n * 613) % LISTED).padStart(4, '0')}`,
  state: { orgId: ORG, done: false, createdAt: Math.floor(n / EQUAL) },
});

const newestFirst = (a: Task, b: Task) =>
  b.state.createdAt - a.state.createdAt || (a._id < b._id ? 1 : -1);

const tasks = Array.from({ length: LISTED }, (_, n) => taskAt(n));
const LIST = [...tasks].sort(newestFirst).map(({ _id }) => _id);

/** Counts what the store is asked, and what it has to pass over. */
async function openLists() {
  const database = new Database();
  const model = modelStore(database);
  await model.commit(tasks.map((document) => ({ insert: 'tasks', document: { ...document } })));
  const asked = { passed: 0, counts: 0 };
  const store: Store = {
    ...model,
    find: (from, filter, options) => {
      if (from === 'tasks') asked.passed += options?.skip ?? 0;
      return model.find(from, filter, options);
    },
    count: (...args) => {
      asked.counts += 1;
      return model.count(...args);
    },
  };
  const wished: unknown[] = [];
  const bus = { nudge: (_: unknown, wish: unknown) => wished.push(wish) };
  const world = { store, bus, clock: new ManualClock() } as unknown as World;
  const wishes = new TallyWishes(world);
  const page = (number: number, limit = LIMIT): Promise<Page<Task>> =>
    pageOf<Task & { [path: string]: unknown }>(
      { world, wishes },
      {
        place: TASK_TALLY,
        asked: { 'state.orgId': ORG },
        spelled: { 'state.orgId': ORG },
        by: 'state.createdAt',
        index: { 'state.orgId': 1, 'state.createdAt': -1, _id: -1 },
        page: number,
        limit,
        project: { state: 1 },
      },
    );
  const count = () => countAll(model, TASK_TALLY, { orgId: ORG, now: 0 });
  return { model, asked, wished, page, count };
}

const idsOf = ({ documents }: Page<Task>) => documents.map(({ _id }) => _id);

test('section 4: the pages, one after the other, are the list: no item twice, none missed', async () => {
  const lists = await openLists();
  for (const counted of [false, true]) {
    if (counted) await lists.count();
    for (let number = 1; number <= 20; number++) {
      const page = await lists.page(number);
      assert.equal(page.total, LISTED);
      assert.deepEqual(idsOf(page), LIST.slice((number - 1) * LIMIT, number * LIMIT), `${number}`);
    }
  }
});

test('a page near the end is read from the end, at any limit', async () => {
  const lists = await openLists();
  await lists.count();
  for (const [number, limit] of [
    [18, 100],
    [1_730, 1],
    [1_001, 1],
    [577, 3],
  ] as const) {
    lists.asked.passed = 0;
    const page = await lists.page(number, limit);
    assert.deepEqual(idsOf(page), LIST.slice((number - 1) * limit, number * limit));
    assert.ok(lists.asked.passed <= LISTED / 2, `passes over ${lists.asked.passed}`);
  }
});

test('a page beyond the end is empty, with the total', async () => {
  const lists = await openLists();
  await lists.count();
  for (const number of [1_731, 5_000]) {
    assert.deepEqual(await lists.page(number, 1), { documents: [], total: LISTED });
  }
});

test('a total that the page contradicts is counted afresh, and a recount asked for', async () => {
  const lists = await openLists();
  await lists.count();
  assert.equal((await lists.page(18)).documents.length, 30);
  assert.equal(lists.asked.counts, 0, 'the ledger knows the total');
  const extra = { ...taskAt(0), _id: 'task_x' };
  await lists.model.commit([{ insert: 'tasks', document: { ...extra } }]);
  // The first page is full whatever the total is.
  assert.equal((await lists.page(1)).total, LISTED);
  assert.equal((await lists.page(1, LISTED + 10)).total, LISTED + 1);
  assert.equal(lists.asked.counts, 1);
  const wish = { collection: 'tasks', orgId: ORG };
  assert.deepEqual(lists.wished, [
    { ...wish, doubted: false },
    { ...wish, doubted: true },
  ]);
});
