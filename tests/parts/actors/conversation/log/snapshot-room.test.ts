/** Bound of snapshots that wait to be written: beyond it the next turn waits before it appends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleState } from '../../../../../actors/runtime/kind.ts';
import {
  conversationsIn,
  LeasedConversations,
} from '../../../../faults/fencing/leased-conversations.ts';
import { settle } from '../../../../faults/fencing/settle.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import type { Store, Write } from '../../../../support/plain-store.ts';

const OURS = 5;
const ROOM = 8_000;
const BEYOND = 40;

const isSnapshot = (write: Write | undefined): boolean =>
  write !== undefined && 'update' in write && write.update === 'conversations';

/** A store whose writes of snapshots wait until the test lets them through. */
class SlowSnapshots {
  readonly #latch = Promise.withResolvers<void>();
  appended = 0;

  readonly around = (store: Store): Store => ({
    ...store,
    commit: async (writes, options) => {
      if (writes.some(isSnapshot)) await this.#latch.promise;
      const isEntry = (write: Write) => 'insert' in write && write.insert === 'entries';
      this.appended += writes.filter(isEntry).length;
      return store.commit(writes, options);
    },
  });

  letThrough(): void {
    this.#latch.resolve();
  }
}

test('turns wait while snapshots are not written, and go on when they are', async () => {
  const slow = new SlowSnapshots();
  const database = new Database();
  const process = new LeasedConversations(database, slow.around);
  await process.kind.acquire(OURS, 1);
  const ids = conversationsIn(OURS, ROOM + BEYOND);
  for (const id of ids.slice(0, ROOM)) await process.send(id, 1);
  let answered = 0;
  const beyond = ids.slice(ROOM).map(async (id) => {
    await process.send(id, 1);
    answered += 1;
  });
  await settle();
  assert.equal(slow.appended, ROOM, 'nothing is appended without room');
  assert.equal(answered, 0);
  slow.letThrough();
  await Promise.all(beyond);
  await process.kind.flush?.(OURS);
  assert.equal(slow.appended, ids.length);
  assert.ok(ids.every((id) => database.byId('conversations', id) !== null));
});

test('a turn that waits for room ends without a write when the lease is lost', async () => {
  const slow = new SlowSnapshots();
  const process = new LeasedConversations(new Database(), slow.around);
  await process.kind.acquire(OURS, 1);
  const [last = '', ...ids] = conversationsIn(OURS, ROOM + 1);
  for (const id of ids) await process.send(id, 1);
  const waiting = assert.rejects(process.send(last, 1), StaleState);
  await settle();
  assert.equal(slow.appended, ROOM);
  process.lose(OURS);
  await waiting;
  assert.equal(slow.appended, ROOM);
  slow.letThrough();
  await settle();
});
