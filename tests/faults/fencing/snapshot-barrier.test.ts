/**
 * A list must not miss an answered message. A partition's owner answers for it to the reader of a
 * list, while its lease holds, before and after the due snapshots are written.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Write } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { conversationsIn, hasSnapshot, LeasedConversations } from './leased-conversations.ts';
import { watched } from './model-store.ts';
import { settle } from './settle.ts';

const OURS = 5;
const OTHER = 70;

/** An owner that is asked for a list while a snapshot of its partition is on its way. */
async function asked() {
  const latch = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const commit = async (writes: readonly Write[]): Promise<void> => {
    if (!hasSnapshot(writes)) return;
    reached.resolve();
    await latch.promise;
  };
  const owner = new LeasedConversations(new Database(), (store) => watched(store, { commit }));
  await owner.kind.acquire(OURS, 1);
  const [id = ''] = conversationsIn(OURS, 1);
  await owner.send(id, 1);
  const answer = owner.answered();
  await reached.promise;
  return { owner, release: latch.resolve, answer };
}

test('an owner answers for what it has written', async () => {
  const { release, answer } = await asked();
  release();
  assert.deepEqual(await answer, [OURS]);
});

test('an owner whose lease has lapsed answers for nothing', async () => {
  const owner = new LeasedConversations(new Database());
  await owner.kind.acquire(OURS, 1);
  assert.deepEqual(await owner.answered(), [OURS]);
  owner.leaseHeld = false;
  assert.deepEqual(await owner.answered(), []);
});

test('an owner whose lease lapses while it writes answers for nothing', async () => {
  const { owner, release, answer } = await asked();
  owner.leaseHeld = false;
  release();
  assert.deepEqual(await answer, []);
});

test('an owner that lost its partition while it wrote, and took it anew, answers when asked anew', async () => {
  const { owner, release, answer } = await asked();
  owner.rejoin(OURS);
  const taken = owner.kind.acquire(OURS, 2);
  release();
  assert.deepEqual(await answer, []);
  await taken;
  await settle();
  assert.deepEqual(await owner.answered(), [OURS]);
});

test('where a recovery has failed it answers for the others, and for that one once it has succeeded', async () => {
  const database = new Database();
  const before = new LeasedConversations(database);
  await before.kind.acquire(OURS, 1);
  const [id = ''] = conversationsIn(OURS, 1);
  await before.send(id, 1);
  const accepted = () => database.byId('conversations', id);
  assert.equal(accepted(), null, 'its snapshot is due later');

  let fails = false;
  const find = () => {
    if (fails) throw new Error('the store cannot say');
  };
  const owner = new LeasedConversations(database, (store) => watched(store, { find }));
  await owner.kind.acquire(OTHER, 2);
  fails = true;
  await assert.rejects(owner.kind.acquire(OURS, 2));
  assert.deepEqual(await owner.answered(), [OTHER]);
  fails = false;
  await owner.kind.acquire(OURS, 2);
  assert.deepEqual(await owner.answered(), [OURS, OTHER]);
  assert.ok(accepted(), 'and a list that is read now shows the message');
});

test('while a recovery lasts it answers for the others at once', async () => {
  const latch = Promise.withResolvers<void>();
  let lasts = false;
  const find = () => (lasts ? latch.promise : undefined);
  const owner = new LeasedConversations(new Database(), (store) => watched(store, { find }));
  await owner.kind.acquire(OTHER, 1);
  lasts = true;
  const acquired = owner.kind.acquire(OURS, 1);
  await settle();
  assert.deepEqual(await Promise.race([owner.answered(), settle()]), [OTHER]);
  latch.resolve();
  await acquired;
  assert.deepEqual(await owner.answered(), [OURS, OTHER]);
});
