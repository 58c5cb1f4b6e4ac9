/** An idle process does little, and misses no work that waits: no poll ends with a failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DuePoller, POLL_EVERY_MS } from '../../../actors/runtime/due-poller.ts';
import { createStore } from '../../../infra/adapters/mongo/store.ts';
import { parametersMessage } from '../../../infra/programs/service/mongo-engine/parameters.ts';
import { prepareStorage } from '../../../infra/programs/service/mongo-engine/wired-tiger.ts';
import { SILENT, startEngine } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Store } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';
import { settle } from './settle.ts';

const QUEUED = { collection: 'entries', filter: { send: { $exists: true } } } as const;
const DUE = { collection: 'tasks', filter: { remindAt: { $lte: 10 } } } as const;

function agendas() {
  const clock = new ManualClock();
  const database = new Database();
  const polls: string[] = [];
  const asked: number[] = [];
  const away = { now: false };
  const model = modelStore(database);
  const store: Store = {
    ...model,
    existsEach: async (questions) => {
      asked.push(questions.length);
      if (away.now) throw new Error('the store is away');
      return model.existsEach(questions);
    },
  };
  const duePoller = new DuePoller({ store, clock, log: SILENT, leaseHeld: () => true });
  duePoller.add({ question: () => QUEUED, poll: () => polls.push('queued') });
  duePoller.add({ question: () => null, poll: () => polls.push('nothing') });
  duePoller.add({ question: () => DUE, poll: () => polls.push('due') });
  const poll = async (): Promise<void> => {
    clock.advance(POLL_EVERY_MS);
    await settle();
  };
  return { poll, database, duePoller, polls, asked, away };
}

test('all agendas ask in one call, and only those look for whom there is anything', async () => {
  const { poll, database, polls, asked } = agendas();
  await poll();
  assert.deepEqual([asked, polls], [[2], []]);
  database.apply({ insert: 'tasks', document: { _id: 'tsk_1', remindAt: 5 } });
  await poll();
  assert.deepEqual(polls, ['due']);
});

test('a store that cannot say is asked again', async () => {
  const { poll, database, polls, away } = agendas();
  database.apply({ insert: 'entries', document: { _id: 'msg_1', send: {} } });
  away.now = true;
  await poll();
  assert.deepEqual(polls, []);
  away.now = false;
  await poll();
  assert.deepEqual(polls, ['queued']);
});

test('an agenda that fails keeps no other from its poll', async () => {
  const { poll, database, duePoller, polls } = agendas();
  database.apply({ insert: 'entries', document: { _id: 'msg_1', send: {} } });
  const broken = () => assert.fail('broken');
  duePoller.add({ question: broken, poll: broken });
  duePoller.add({ question: () => QUEUED, poll: broken });
  duePoller.add({ question: () => QUEUED, poll: () => polls.push('last') });
  for (let count = 1; count <= 3; count++) {
    await poll();
    assert.equal(polls.filter((name) => name === 'last').length, count);
  }
});

test('the engine is told how often to flush', async (t) => {
  const engine = await startEngine();
  t.after(() => engine.close());
  const admin = engine.mongo.client.db('admin');
  const intervalMs = async () => {
    const said = await admin.command({ getParameter: 1, journalCommitInterval: 1 });
    return said.journalCommitInterval;
  };
  assert.equal(await intervalMs(), 100);
  await engine.tell(parametersMessage());
  assert.equal(await intervalMs(), 500);
});

test('an engine with nothing to do keeps one thread for its cache', async (t) => {
  const engine = await startEngine(prepareStorage);
  t.after(() => engine.close());
  const { wiredTiger } = await engine.mongo.client.db('admin').command({ serverStatus: 1 });
  assert.equal(wiredTiger.cache['eviction worker thread active'], 1);
});

test('the engine answers many questions in one call as one by one', async (t) => {
  const engine = await startEngine();
  t.after(() => engine.close());
  const store: Store = createStore(engine.mongo);
  assert.deepEqual(await store.existsEach([]), []);
  assert.deepEqual(await store.existsEach([QUEUED, DUE]), [false, false]);
  await store.commit([{ insert: 'tasks', document: { _id: 'tsk_1', remindAt: 5 } }]);
  assert.deepEqual(await store.existsEach([QUEUED, DUE, QUEUED]), [false, true, false]);
  await store.commit([
    { insert: 'entries', document: { _id: 'msg_1', conversationId: 'cnv_1', seq: 1, send: {} } },
    { insert: 'entries', document: { _id: 'msg_2', conversationId: 'cnv_1', seq: 2, send: {} } },
  ]);
  assert.deepEqual(await store.existsEach([DUE, QUEUED]), [true, true]);
});
