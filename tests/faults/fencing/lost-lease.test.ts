/**
 * A process that loses its lease and joins anew: its earlier state counts for nothing any more.
 * Every conversation with an acknowledged message is on the lists of its next owner.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleState } from '../../../actors/runtime/kind.ts';
import type { Filter, Store, Stored, Write } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { conversationsIn, hasSnapshot, LeasedConversations } from './leased-conversations.ts';
import { watched } from './model-store.ts';
import { settle } from './settle.ts';

const OURS = 5;
const OTHER = 6;
const [ID = ''] = conversationsIn(OURS, 1);
/** By then due snapshots are written without a request. */
const WRITTEN_MS = 15_000;

/** A process with a message of the conversation in its log. */
async function owner(around?: (store: Store) => Store) {
  const database = new Database();
  const process = new LeasedConversations(database, around);
  await process.kind.acquire(OURS, 1);
  await process.kind.acquire(OTHER, 1);
  await process.send(ID, 1);
  return { database, process };
}

const listed = (database: Database): boolean => database.byId('conversations', ID) !== null;

/** Whatever the process still means to write, it writes. */
async function written(process: LeasedConversations): Promise<void> {
  await process.kind.flush?.(OTHER);
  process.clock.advance(WRITTEN_MS);
  await settle();
  await process.kind.flush?.(OTHER);
  await settle();
}

async function listedByNextOwner(database: Database): Promise<boolean> {
  const next = new LeasedConversations(database);
  await next.kind.acquire(OURS, 3);
  await settle();
  return listed(database);
}

test('what was handed on before the lease was lost is not cleared without its snapshot', async () => {
  const { database, process } = await owner();
  await process.sent(ID, 1);
  await settle();
  process.rejoin(OURS);
  await written(process);
  assert.ok(await listedByNextOwner(database));
});

test('what is handed on after the lease was lost is not cleared either', async () => {
  const { database, process } = await owner();
  const arrive = process.holdFanOuts();
  await process.sent(ID, 1);
  await settle();
  process.rejoin(OURS);
  arrive();
  await settle();
  await written(process);
  assert.ok(await listedByNextOwner(database));
});

test('nor under the epoch after, when the same process owns the partition again', async () => {
  let readPending = (): Promise<void> => Promise.resolve();
  const find = async (from: string, filter: Filter): Promise<void> => {
    if (from === 'entries' && 'pending' in filter) await readPending();
  };
  const { database, process } = await owner((store) => watched(store, { find }));
  const arrive = process.holdFanOuts();
  await process.sent(ID, 1);
  await settle();
  process.rejoin(OURS);
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
  assert.ok(listed(database));
});

test('a snapshot that was being written when the lease was lost lets nothing be cleared', async () => {
  let away = true;
  const commit = (writes: readonly Write[]): void => {
    if (away && hasSnapshot(writes)) throw new Error('the store is away');
  };
  const { database, process } = await owner((store) => watched(store, { commit }));
  const arrive = process.holdFanOuts();
  await process.sent(ID, 1);
  const flushing = process.kind.flush?.(OURS);
  await settle();
  process.leaseHeld = false;
  process.clock.advance(100);
  await flushing;
  process.kind.release(OURS);
  away = false;
  process.leaseHeld = true;
  arrive();
  await settle();
  await written(process);
  assert.ok(await listedByNextOwner(database));
});

test('what was let go under one epoch is cleared under it, as soon as its snapshot is there', async () => {
  const { database, process } = await owner();
  await process.sent(ID, 1);
  await settle();
  await process.kind.flush?.(OURS);
  await settle();
  assert.ok(listed(database));
  const entry = database.byId('entries', `msg_${ID}`);
  assert.ok(entry && !('pending' in entry) && !('outbox' in entry));
});

test('a snapshot that met another owner’s first one is written again', async () => {
  let met = false;
  const { database, process } = await owner((store) => ({
    ...store,
    commit: async (writes) => {
      if (met || !hasSnapshot(writes)) return store.commit(writes);
      met = true;
      return writes.map(() => ({ ok: false, duplicate: '_id_' }));
    },
  }));
  const flushed = process.kind.flush?.(OURS);
  await settle();
  process.clock.advance(100);
  await flushed;
  assert.ok(met && listed(database));
});

test('an entry that is there and cannot be read yet is no answer', async () => {
  const { database } = await owner();
  let readable = false;
  const next = new LeasedConversations(database, (store) => ({
    ...store,
    byId: async <T extends Stored>(from: string, wanted: string) =>
      from === 'entries' && !readable ? null : store.byId<T>(from, wanted),
  }));
  await next.kind.acquire(OURS, 2);
  await assert.rejects(next.send(ID, 2), StaleState);
  readable = true;
  assert.equal((await next.send(ID, 2)).status, 201);
});
