/** Conversations as the runtime sees them, and what their next owner completes after a crash. */
import type { Kind } from '../runtime/actor.ts';
import { ConversationActor, type ConversationParts } from './actor.ts';
import { type EntryDocument, snapshotWrite } from './documents.ts';

const RECOVERY_BATCH = 500;

export function conversationKind(parts: ConversationParts): Kind {
  return {
    kind: 'conversation',
    open: (key, epoch) => new ConversationActor(key, epoch, parts),
    take: (partition, epoch) => recover(parts, partition, epoch),
  };
}

/** Entries are born pending: snapshots first, then whatever had not been handed on. */
async function recover(parts: ConversationParts, partition: number, epoch: number): Promise<void> {
  const { store } = parts.world;
  for (let last = ''; parts.world.alive(); ) {
    const entries = await store.find<EntryDocument>(
      'entries',
      { pending: partition, _id: { $gt: last } },
      { sort: { _id: 1 }, limit: RECOVERY_BATCH },
    );
    const newest = new Map<string, EntryDocument>();
    for (const entry of entries) {
      const known = newest.get(entry.conversationId);
      if (!known || known.seq < entry.seq) newest.set(entry.conversationId, entry);
    }
    await store.commit([...newest.values()].map((entry) => snapshotWrite(entry.after, epoch)));
    await Promise.all(entries.map((entry) => handOnAgain(parts, entry)));
    const end = entries.at(-1);
    if (entries.length < RECOVERY_BATCH || !end) return;
    last = end._id;
  }
}

async function handOnAgain(parts: ConversationParts, entry: EntryDocument): Promise<void> {
  const outbox = entry.outbox ?? [];
  const taken = await parts.relay.handOn(entry.orgId, outbox);
  if (taken) {
    parts.settler.settle(
      entry._id,
      outbox.map((item) => item.id),
    );
  }
}
