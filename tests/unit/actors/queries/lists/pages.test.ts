/**
 * Pages of a list, deep ones too, on the model of the store (C4.2; actors/queries/page). The newest
 * comes first, and the id decides between equals from either end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTED_TASKS } from '../../../../../actors/counters/counted-collections.ts';
import { recountAll } from '../../../../../actors/counters/recount.ts';
import { RecountRequests } from '../../../../../actors/counters/recount-request.ts';
import type { Environment } from '../../../../../actors/environment.ts';
import type { DocumentOf } from '../../../../../actors/model/collections.ts';
import { listIndex, type Page, pageOf } from '../../../../../actors/queries/lists/page.ts';
import { LIST_ROW_MAX_BYTES } from '../../../../../shared/limits.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Filter, FindOptions, Store, Stored } from '../../../../support/plain-store.ts';

const ORG = 'org_1';
const LISTED = 2_500;
/** So many of each moment. */
const EQUAL = 7;
const LIMIT = 250;

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
  const asked = { finds: 0, passed: 0, counts: 0 };
  const wholeMaxBytes = new Set<unknown>();
  /**
   * `unseen`: rows at the end that reads of the list miss. `ledger`: a wait before each read by id,
   * thus of the counter document.
   */
  const between = { unseen: 0, counter: Promise.resolve() };
  const store: Store = {
    ...model,
    byId: async <T extends Stored>(from: string, id: string) => {
      await between.counter;
      return model.byId<T>(from, id);
    },
    find: async <T extends Stored>(from: string, filter: Filter, options?: FindOptions) => {
      const found = await model.find<T>(from, filter, options);
      if (from !== 'tasks' || options?.skip === undefined) return found;
      asked.finds += 1;
      asked.passed += options.skip;
      wholeMaxBytes.add(options.wholeMaxBytes);
      return found.slice(0, found.length - between.unseen);
    },
    count: (...args) => {
      asked.counts += 1;
      return model.count(...args);
    },
  };
  const requested: unknown[] = [];
  const bus = { nudge: (_: unknown, request: unknown) => requested.push(request) };
  const environment = { store, bus, clock: new ManualClock() } as unknown as Environment;
  const recountRequests = new RecountRequests(environment);
  const page = (number: number, limit = LIMIT): Promise<Page<Listed>> =>
    pageOf(
      { environment, recountRequests },
      {
        countedCollection: COUNTED_TASKS,
        filter: { 'state.orgId': ORG },
        indexedFilter: { 'state.orgId': ORG },
        by: 'state.createdAt',
        index: { 'state.orgId': 1, 'state.createdAt': -1, _id: -1 },
        page: number,
        limit,
      },
    );
  const count = () => recountAll(model, COUNTED_TASKS, { orgId: ORG, now: 0 });
  return { model, asked, wholeMaxBytes, between, wished: requested, page, count };
}

type Listed = DocumentOf<'tasks'>;

const idsOf = ({ rows }: Page<Listed>) => rows.map(({ _id }) => _id);

test('section 4: the pages, one after the other, are the list: no item twice, none missed', async () => {
  const lists = await openLists();
  for (const counted of [false, true]) {
    if (counted) await lists.count();
    for (let number = 1; number <= 11; number++) {
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
    [25, 100],
    [2_500, 1],
    [1_101, 1],
    [1_401, 1],
    [834, 3],
  ] as const) {
    lists.asked.passed = 0;
    const page = await lists.page(number, limit);
    assert.deepEqual(idsOf(page), LIST.slice((number - 1) * limit, number * limit));
    assert.ok(lists.asked.passed <= LISTED / 2, `passes over ${lists.asked.passed}`);
  }
  assert.deepEqual([...lists.wholeMaxBytes], [LIST_ROW_MAX_BYTES], 'larger rows come apart');
});

test('a page beyond the end is empty, with the total', async () => {
  const lists = await openLists();
  await lists.count();
  for (const number of [2_501, 5_000]) {
    assert.deepEqual(await lists.page(number, 1), { rows: [], total: LISTED });
  }
  assert.deepEqual(lists.asked, { finds: 0, passed: 0, counts: 0 }, 'the counter knows');
});

test('a total that the page contradicts is counted afresh, and a recount asked for', async () => {
  const lists = await openLists();
  await lists.count();
  assert.equal((await lists.page(10)).rows.length, 250);
  assert.equal(lists.asked.counts, 0, 'the counter knows the total');
  const extra = { ...taskAt(0), _id: 'task_x' };
  await lists.model.commit([{ insert: 'tasks', document: { ...extra } }]);
  // The first page is full whatever the total is.
  assert.equal((await lists.page(1)).total, LISTED);
  assert.equal((await lists.page(1, LISTED + 10)).total, LISTED + 1);
  assert.equal(lists.asked.counts, 1);
  assert.deepEqual(lists.wished, [{ collection: 'tasks', orgId: ORG, doubted: true }]);
});

test('where there is no counter yet the list is read once and nothing is doubted', async () => {
  const lists = await openLists();
  assert.equal((await lists.page(1)).total, LISTED);
  assert.deepEqual([lists.asked.finds, lists.asked.counts], [1, 1]);
  assert.deepEqual(lists.wished, [{ collection: 'tasks', orgId: ORG, doubted: false }]);
});

test('a page that was read while its list changed is read again, and nothing is doubted', async () => {
  const lists = await openLists();
  await lists.count();
  lists.between.unseen = 1;
  assert.equal((await lists.page(1)).total, LISTED);
  assert.deepEqual([lists.asked.finds, lists.asked.counts], [2, 1]);
  assert.deepEqual(lists.wished, []);
});

test('the first pages do not wait for the total', async () => {
  const lists = await openLists();
  await lists.count();
  const { promise, resolve } = Promise.withResolvers<void>();
  lists.between.counter = promise;
  const reading = lists.page(1);
  await new Promise(setImmediate);
  assert.equal(lists.asked.finds, 1);
  resolve();
  assert.equal((await reading).total, LISTED);
});

test('an index has the fields that are found by, then the newest first', () => {
  const index = listIndex<'tasks'>(['state.orgId', 'state.done'], 'state.createdAt');
  assert.deepEqual(Object.entries(index), [
    ['state.orgId', 1],
    ['state.done', 1],
    ['state.createdAt', -1],
    ['_id', -1],
  ]);
});
