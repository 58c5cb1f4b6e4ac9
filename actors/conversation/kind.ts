/** Conversations as the runtime sees them, and what their next owner completes after a crash. */
import { partitionOf } from '../../shared/subjects.ts';
import { holdFlow } from '../flow/follow.ts';
import { UnpublishedOutbox } from '../outbox/unpublished-outbox.ts';
import type { Kind } from '../runtime/actor.ts';
import { ConversationActor } from './actor.ts';
import type { ConversationParts } from './conversation.ts';
import type { EntryDocument } from './documents.ts';
import { behind, newestOf, writeSnapshots } from './landed.ts';
import { QueuedLeft } from './queued-left.ts';
import { answerBarrier } from './snapshot-barrier.ts';

export function conversationKind(parts: ConversationParts): Kind {
  const left = new UnpublishedOutbox<EntryDocument>(parts.world, 'entries');
  /** A partition's snapshots are complete once what its last owner left has been written. */
  const recovered = new Map<number, Promise<void>>();
  const queuedLeft = new QueuedLeft(parts.world);
  const { store } = parts.world;
  const land = async (partition: number, epoch: number): Promise<void> => {
    await queuedLeft.complete(partition, epoch);
    await left.pages(partition, async (page) =>
      writeSnapshots(store, await behind(store, newestOf(page)), epoch),
    );
  };
  const publishUnpublished = (partition: number, epoch: number): Promise<void> =>
    left.publish(partition, (entry) => publishAgain(parts, entry, epoch));
  answerBarrier(parts.world, () => answerFor(parts, recovered));
  return {
    kind: 'conversation',
    open: (key, epoch, stale) => new ConversationActor(key, { epoch, stale }, parts),
    async acquire(partition, epoch) {
      // A message that leaves the send agenda meanwhile stays pending until both have been read.
      parts.snapshots.take(partition, epoch);
      const recovery = land(partition, epoch);
      recovered.set(partition, recovery);
      const isLast = () => recovered.get(partition) === recovery;
      try {
        await recovery;
        if (isLast()) parts.snapshots.letClear(partition);
        await publishUnpublished(partition, epoch);
      } finally {
        // The hand-on of recovered items comes before the next steps of flows.
        if (isLast()) parts.flows.timers.take(partition);
      }
    },
    async recoverLate(partition, epoch) {
      await land(partition, epoch);
      await publishUnpublished(partition, epoch);
    },
    recover: (key, epoch) => complete(parts, key, epoch),
    flush: () => parts.snapshots.flush(),
    release(partition) {
      recovered.delete(partition);
      parts.snapshots.forget(partition);
      parts.flows.timers.giveUp(partition);
    },
  };
}

/**
 * Writes what is due and answers the partitions of which it is complete: those that are held from
 * before until after the writing, one time of holding them. Without a lease that is none: another
 * owner may have answered sends of which nothing is known here.
 */
async function answerFor(
  { world, snapshots }: ConversationParts,
  recovered: ReadonlyMap<number, Promise<void>>,
): Promise<readonly number[]> {
  if (!world.leaseHeld()) return [];
  const held = [...recovered];
  await Promise.all(held.map(([, recovery]) => recovery));
  await snapshots.flush();
  if (!world.leaseHeld()) return [];
  const isStill = ([partition, recovery]: readonly [number, Promise<void>]) =>
    recovered.get(partition) === recovery;
  return held.filter(isStill).map(([partition]) => partition);
}

/** One conversation: what its log holds beyond what this process knows of. */
async function complete(parts: ConversationParts, key: string, epoch: number): Promise<void> {
  const { store } = parts.world;
  const [last] = await store.find<EntryDocument>(
    'entries',
    { conversationId: key },
    { sort: { seq: -1 }, limit: 1 },
  );
  if (!last) return;
  parts.snapshots.add(last.after, epoch);
  const pending = { conversationId: key, pending: partitionOf('conversation', key) };
  for (const entry of await store.find<EntryDocument>('entries', pending)) {
    void publishAgain(parts, entry, epoch);
  }
}

async function publishAgain(
  parts: ConversationParts,
  entry: EntryDocument,
  epoch: number,
): Promise<void> {
  const outbox = entry.outbox ?? [];
  const release = holdFlow(parts, entry, outbox);
  const taken = await parts.relay.publish(entry.orgId, outbox).finally(release);
  if (taken) parts.snapshots.settle({ entry, ids: outbox.map((item) => item.id), epoch });
}
