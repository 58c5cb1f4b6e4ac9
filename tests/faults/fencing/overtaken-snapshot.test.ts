/** A state that was read before the last entry was appended, and comes after it (snapshots). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SnapshotWriter } from '../../../actors/conversation/log/snapshot-writer.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { conversationFixture } from '../../support/actors/domain/message-fixture.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';

const EPOCH = 1;

test('a snapshot that is due is not replaced by an earlier one', async () => {
  const store = modelStore(new Database());
  const clock = new ManualClock();
  const snapshots = new SnapshotWriter({ store, clock, log: SILENT, leaseHeld: () => true });
  const { id } = conversationFixture();
  snapshots.acquire(partitionOf('conversation', id), EPOCH);
  snapshots.add(conversationFixture({ seq: 2 }), EPOCH);
  snapshots.add(conversationFixture({ seq: 1 }), EPOCH);
  await snapshots.flush();
  const written = await store.byId('conversations', id);
  assert.equal(written?.snapshot.seq, 2);
});
