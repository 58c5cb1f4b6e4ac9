/** Kind of conversations: the runtime's hooks, and the recovery of a previous owner's work. */

import type { Store } from '../model/collections.ts';
import type { EntryDocument } from '../model/conversation.ts';
import type { Kind } from '../runtime/kind.ts';
import { ConversationActor } from './actor.ts';
import { serveReadBarrier } from './log/read-barrier.ts';
import { findStale, newestOf, QueuedRecovery, writeSnapshots } from './log/snapshot-recovery.ts';
import { UnpublishedEvents } from './log/unpublished-events.ts';
import type { ConversationParts } from './turns/conversation.ts';
import { republish, republishPending, unpublishedEntries } from './turns/republish.ts';

/** Recovery of a partition's snapshots: they are complete once it has ended without a fault. */
interface Recovery {
  hasEnded: boolean;
}

export function conversationKind(others: Omit<ConversationParts, 'unpublishedEvents'>): Kind {
  const { environment } = others;
  const unpublishedEvents = new UnpublishedEvents(environment);
  const parts = { ...others, unpublishedEvents };
  const [unpublished, queued] = [unpublishedEntries(environment), new QueuedRecovery(environment)];
  /** By partition. */
  const recoveries = new Map<number, Recovery>();
  const recoverSnapshots = async (partition: number, epoch: number): Promise<void> => {
    await queued.recover(partition, epoch);
    await unpublished.pages(partition, async (page) => writeStale(environment.store, page, epoch));
  };
  const publishUnpublished = (partition: number, epoch: number): Promise<void> =>
    unpublished.publish({ partition, epoch }, (entries) => republish(parts, entries, epoch));
  serveReadBarrier(environment, (asked) => flushedPartitions(parts, recoveries, asked));
  return {
    kind: 'conversation',
    open: (key, epoch, stale) => new ConversationActor(key, { epoch, stale }, parts),
    async acquire(partition, epoch) {
      // An entry that leaves the send agenda meanwhile stays pending until both have been read.
      parts.snapshotWriter.acquire(partition, epoch);
      unpublishedEvents.begin(partition, epoch);
      const recovery: Recovery = { hasEnded: false };
      recoveries.set(partition, recovery);
      const isLast = () => recoveries.get(partition) === recovery;
      try {
        await recoverSnapshots(partition, epoch);
        recovery.hasEnded = true;
        if (isLast()) parts.snapshotWriter.endRecovery(partition);
        await publishUnpublished(partition, epoch);
      } finally {
        // Recovered outboxes begin to be published before the next steps of flows.
        if (isLast()) acquireAgendas(parts, partition, epoch);
      }
    },
    recoverLate: (partition, epoch) =>
      recoverSnapshots(partition, epoch)
        .then(() => publishUnpublished(partition, epoch))
        .then(() => unpublishedEvents.end(partition, epoch)),
    doubt: (key, until) => unpublishedEvents.doubt(key, until),
    recover: (key, epoch) => recoverConversation(parts, key, epoch),
    settle: () => parts.snapshotWriter.flush(),
    flush: () => parts.snapshotWriter.flush(),
    release(partition) {
      recoveries.delete(partition);
      for (const part of releasedParts(parts)) part.release(partition);
    },
  };
}

/** The parts that keep state of a partition. */
function releasedParts({
  unpublishedEvents,
  snapshotWriter,
  flows,
  dueMessages,
}: ConversationParts) {
  return [unpublishedEvents, snapshotWriter, flows.timers, dueMessages];
}

function acquireAgendas(
  { flows, dueMessages }: Pick<ConversationParts, 'flows' | 'dueMessages'>,
  partition: number,
  epoch: number,
): void {
  flows.timers.acquire(partition, epoch);
  dueMessages.acquire(partition, epoch);
}

/**
 * Writes due snapshots and answers those of the partitions that are complete. A partition counts
 * only if one tenure lasts from before the write until after it. Without a lease none counts:
 * another owner may have accepted sends of which this process knows nothing. A recovery is not
 * waited for: lists of other organizations share the question, which is asked again.
 */
async function flushedPartitions(
  { environment, snapshotWriter }: ConversationParts,
  recoveries: ReadonlyMap<number, Recovery>,
  asked: readonly number[],
): Promise<readonly number[]> {
  if (!environment.leaseHeld()) return [];
  const recovered = asked.flatMap((partition) => {
    const recovery = recoveries.get(partition);
    return recovery?.hasEnded ? [[partition, recovery] as const] : [];
  });
  if (recovered.length === 0) return [];
  await snapshotWriter.flush();
  if (!environment.leaseHeld()) return [];
  return recovered.flatMap(([partition, recovery]) =>
    recoveries.get(partition) === recovery ? [partition] : [],
  );
}

/** Recovers one conversation from its log: the last snapshot, and every pending outbox. */
async function recoverConversation(
  parts: ConversationParts,
  key: string,
  epoch: number,
): Promise<void> {
  const { store } = parts.environment;
  const newest = { sort: { seq: -1 }, limit: 1 } as const;
  const [last] = await store.find('entries', { conversationId: key }, newest);
  if (!last) return;
  parts.snapshotWriter.add(last.after, epoch);
  await republishPending(parts, key, epoch);
}

async function writeStale(
  store: Store,
  page: readonly EntryDocument[],
  epoch: number,
): Promise<void> {
  await writeSnapshots(store, await findStale(store, newestOf(page)), epoch);
}
