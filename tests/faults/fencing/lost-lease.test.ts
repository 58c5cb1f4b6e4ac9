/**
 * A process that loses its lease and joins anew: its earlier state counts for nothing any more.
 * Every conversation with an acknowledged message is on the lists of its next owner.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleState } from '../../../actors/runtime/api.ts';
import type { Document, Filter, FindOptions, Store } from '../../../shared/ports/store.ts';
import { Database } from '../simulation/memory/database.ts';
import { conversationsIn, LeasedConversations, settle } from './leased-conversations.ts';

const OURS = 5;
const OTHER = 6;
/** By then due snapshots are written without a request. */
const WRITTEN_MS = 15_000;

const listed = (database: Database, id: string): boolean =>
  database.byId('conversations', id) !== null;

/** Whatever the process still means to write, it writes. */
async function written(process: LeasedConversations): Promise<void> {
  await process.kind.flush?.(OTHER);
  process.clock.advance(WRITTEN_MS);
  await settle();
  await process.kind.flush?.(OTHER);
  await settle();
}

async function listedByNextOwner(database: Database, id: string): Promise<boolean> {
  const next = new LeasedConversations(database);
  await next.kind.acquire(OURS, 3);
  await settle();
  return listed(database, id);
}

test('what was handed on before the lease was lost is not cleared without its snapshot', async () => {
  const database = new Database();
  const [id = ''] = conversationsIn(OURS, 1);
  const first = new LeasedConversations(database);
  await first.kind.acquire(OURS, 1);
  await first.kind.acquire(OTHER, 1);
  await first.send(id, 1);
  await first.sent(id, 1);
  await settle();
  first.lose(OURS);
  first.leaseHeld = true;
  await written(first);
  assert.ok(await listedByNextOwner(database, id));
});

test('what is handed on after the lease was lost is not cleared either', async () => {
  const database = new Database();
  const [id = ''] = conversationsIn(OURS, 1);
  const first = new LeasedConversations(database);
  const { promise: answer, resolve: arrive } = Promise.withResolvers<void>();
  first.onFanOut = () => answer;
  await first.kind.acquire(OURS, 1);
  await first.kind.acquire(OTHER, 1);
  await first.send(id, 1);
  await first.sent(id, 1);
  await settle();
  first.lose(OURS);
  first.leaseHeld = true;
  arrive();
  await settle();
  await written(first);
  assert.ok(await listedByNextOwner(database, id));
});

test('nor under the epoch after, when the same process owns the partition again', async () => {
  const database = new Database();
  const [id = ''] = conversationsIn(OURS, 1);
  let readPending = (): Promise<void> => Promise.resolve();
  const slow = (store: Store): Store => ({
    ...store,
    find: async <T extends Document>(from: string, filter: Filter, options?: FindOptions) => {
      if (from === 'entries' && 'pending' in filter) await readPending();
      return store.find<T>(from, filter, options);
    },
  });
  const process = new LeasedConversations(database, slow);
  const { promise: answer, resolve: arrive } = Promise.withResolvers<void>();
  process.onFanOut = () => answer;
  await process.kind.acquire(OURS, 1);
  await process.send(id, 1);
  await process.sent(id, 1);
  await settle();
  process.lose(OURS);
  process.leaseHeld = true;
  const { promise: read, resolve: goOn } = Promise.withResolvers<void>();
  readPending = () => read;
  const taken = process.kind.acquire(OURS, 2);
  arrive();
  await settle();
  await process.kind.flush?.(OURS);
  await settle();
  goOn();
  await taken;
  await written(process);
  assert.ok(listed(database, id));
});

test('a snapshot that was being written when the lease was lost lets nothing be cleared', async () => {
  const database = new Database();
  const [id = ''] = conversationsIn(OURS, 1);
  let away = true;
  const failing = (store: Store): Store => ({
    ...store,
    commit: async (writes) => {
      const isSnapshot = writes.some((each) => 'update' in each && each.update === 'conversations');
      if (away && isSnapshot) throw new Error('the store is away');
      return store.commit(writes);
    },
  });
  const first = new LeasedConversations(database, failing);
  const { promise: answer, resolve: arrive } = Promise.withResolvers<void>();
  first.onFanOut = () => answer;
  await first.kind.acquire(OURS, 1);
  await first.kind.acquire(OTHER, 1);
  await first.send(id, 1);
  await first.sent(id, 1);
  const flushing = first.kind.flush?.(OURS);
  await settle();
  first.leaseHeld = false;
  first.clock.advance(100);
  await flushing;
  first.kind.release(OURS);
  away = false;
  first.leaseHeld = true;
  arrive();
  await settle();
  await written(first);
  assert.ok(await listedByNextOwner(database, id));
});

test('what was let go under one epoch is cleared under it, as soon as its snapshot is there', async () => {
  const database = new Database();
  const [id = ''] = conversationsIn(OURS, 1);
  const owner = new LeasedConversations(database);
  await owner.kind.acquire(OURS, 1);
  await owner.send(id, 1);
  await owner.sent(id, 1);
  await settle();
  await owner.kind.flush?.(OURS);
  await settle();
  assert.ok(listed(database, id));
  const entry = database.byId('entries', `msg_${id}`);
  assert.ok(entry && !('pending' in entry) && !('outbox' in entry));
});

test('a snapshot that met another owner’s first one is written again', async () => {
  const database = new Database();
  const [id = ''] = conversationsIn(OURS, 1);
  let met = false;
  const racing = (store: Store): Store => ({
    ...store,
    commit: async (writes) => {
      const isSnapshot = writes.some((each) => 'update' in each && each.update === 'conversations');
      if (met || !isSnapshot) return store.commit(writes);
      met = true;
      return writes.map(() => ({ ok: false, duplicate: '_id_' }));
    },
  });
  const owner = new LeasedConversations(database, racing);
  await owner.kind.acquire(OURS, 1);
  await owner.send(id, 1);
  const flushed = owner.kind.flush?.(OURS);
  await settle();
  owner.clock.advance(100);
  await flushed;
  assert.ok(met && listed(database, id));
});

test('an entry that is there and cannot be read yet is no answer', async () => {
  const database = new Database();
  const [id = ''] = conversationsIn(OURS, 1);
  const first = new LeasedConversations(database);
  await first.kind.acquire(OURS, 1);
  await first.send(id, 1);
  let readable = false;
  const lagging = (store: Store): Store => ({
    ...store,
    byId: async <T extends Document>(from: string, wanted: string) =>
      from === 'entries' && !readable ? null : store.byId<T>(from, wanted),
  });
  const next = new LeasedConversations(database, lagging);
  await next.kind.acquire(OURS, 2);
  await assert.rejects(next.send(id, 2), StaleState);
  readable = true;
  assert.equal((await next.send(id, 2)).status, 201);
});
