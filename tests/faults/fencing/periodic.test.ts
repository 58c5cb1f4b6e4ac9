/** Periodic work never ends with a failure: neither a sweep nor the poll of the agendas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DuePoller, POLL_EVERY_MS } from '../../../actors/runtime/due-poller.ts';
import { runPeriodically } from '../../../actors/runtime/periodic.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';

const QUESTION = { collection: 'entries', filter: { send: { $exists: true } } };

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((go) => setImmediate(go));
}

function broken(): never {
  throw new Error('broken');
}

test('periodic work is repeated after every way in which a run can end', async () => {
  const clock = new ManualClock();
  const ends: (() => Promise<void>)[] = [
    async () => undefined,
    async () => broken(),
    () => broken(),
    () => new Promise((resume) => void clock.after(5_000, resume)),
  ];
  let runs = 0;
  runPeriodically(
    { clock, log: SILENT },
    {
      ...{ firstMs: 10, everyMs: () => 1_000, failed: 'failed' },
      run: () => ends[runs++ % ends.length]?.() ?? Promise.resolve(),
    },
  );
  const after = async (ms: number): Promise<number> => {
    clock.advance(ms);
    await settle();
    return runs;
  };
  assert.deepEqual([await after(10), await after(1_000), await after(1_000)], [1, 2, 3]);
  assert.deepEqual([await after(1_000), await after(4_999)], [4, 4], 'one run at a time');
  assert.deepEqual([await after(1), await after(1_000)], [4, 5]);
});

test('an agenda that fails keeps no other from its poll', async () => {
  const clock = new ManualClock();
  const database = new Database();
  database.apply({ insert: 'entries', document: { _id: 'msg_1', send: {} } });
  const duePoller = new DuePoller({
    ...{ store: modelStore(database), clock, log: SILENT, leaseHeld: () => true },
  });
  let polls = 0;
  duePoller.add({ question: broken, poll: broken });
  duePoller.add({ question: () => QUESTION, poll: broken });
  duePoller.add({ question: () => QUESTION, poll: () => polls++ });
  for (let poll = 1; poll <= 3; poll++) {
    clock.advance(POLL_EVERY_MS);
    await settle();
    assert.equal(polls, poll);
  }
});
