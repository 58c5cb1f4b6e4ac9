/** Outboxes of messages whose events were published one after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  conversationsIn,
  LeasedConversations,
} from '../../../../faults/fencing/leased-conversations.ts';
import { settle } from '../../../../faults/fencing/settle.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import type { Store, Write } from '../../../../support/plain-store.ts';

const OURS = 5;
const STATUSES = ['sent', 'delivered', 'read'] as const;
/** More than one write clears: a message's events are not next to each other. */
const MESSAGES = 120;

/** The entries that clears have named, in order. */
class Clears {
  readonly named: string[] = [];

  readonly around = (store: Store): Store => ({
    ...store,
    commit: (writes, options) => {
      this.named.push(...writes.flatMap(clearedBy));
      return store.commit(writes, options);
    },
  });
}

function clearedBy(write: Write): readonly string[] {
  if (!('update' in write) || write.update !== 'entries' || !write.many) return [];
  return (write.filter._id as { readonly $in: readonly string[] }).$in;
}

test('an entry is cleared once of all events that were published since the last clears', async () => {
  const clears = new Clears();
  const database = new Database();
  const process = new LeasedConversations(database, clears.around);
  await process.kind.acquire(OURS, 1);
  const ids = conversationsIn(OURS, MESSAGES);
  const actors = ids.map((id) => ({ id, actor: process.kind.open(id, 1, false) }));
  for (const { id, actor } of actors) await process.turnOf(actor, process.sendOf(id));
  for (const status of STATUSES) {
    for (const { id, actor } of actors) await process.turnOf(actor, process.receiptOf(id, status));
  }
  await settle();
  assert.equal(process.published.length, STATUSES.length * MESSAGES);
  await process.kind.flush?.(OURS);
  await settle();
  const entries = ids.map((id) => `msg_${id}`);
  assert.deepEqual(clears.named.toSorted(), entries.toSorted());
  for (const id of entries) {
    const entry = database.byId('entries', id);
    assert.equal(entry?.pending, undefined, id);
    assert.equal(entry?.outbox, undefined, id);
  }
});
