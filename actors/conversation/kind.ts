/** Conversations as the runtime sees them, and what their next owner completes after a crash. */
import { partitionOf } from '../../shared/subjects.ts';
import { holdFlow } from '../flow/follow.ts';
import { LeftBehind } from '../outbox/left.ts';
import type { Kind } from '../runtime/actor.ts';
import { ConversationActor } from './actor.ts';
import type { ConversationParts } from './conversation.ts';
import type { EntryDocument } from './documents.ts';
import { behind, newestOf, writeSnapshots } from './landed.ts';
import { QueuedLeft } from './queued-left.ts';
import { answerBarrier } from './snapshot-barrier.ts';

const RECOVERY_BATCH = 500;

export function conversationKind(parts: ConversationParts): Kind {
  const most = { collection: 'entries', most: RECOVERY_BATCH };
  const left = new LeftBehind<EntryDocument>(parts.world, most);
  const recovering = { parts, left };
  /** A partition's snapshots are complete once what its last owner left has been written. */
  const recovered = new Map<number, Promise<void>>();
  const queuedLeft = new QueuedLeft(parts.world);
  const recover = async (partition: number, epoch: number): Promise<void> => {
    await queuedLeft.complete(partition, epoch);
    await recoverPending(recovering, partition, epoch);
  };
  answerBarrier(parts.world, () => answerFor(parts, recovered));
  return {
    kind: 'conversation',
    open: (key, epoch, stale) => new ConversationActor(key, { epoch, stale }, parts),
    take(partition, epoch) {
      // A message that leaves the send agenda meanwhile stays pending until both have been read.
      parts.snapshots.take(partition, epoch);
      const recovery = recover(partition, epoch);
      recovered.set(partition, recovery);
      const isLast = () => recovered.get(partition) === recovery;
      return recovery
        .then(() => {
          if (isLast()) parts.snapshots.letClear(partition);
        })
        .finally(() => {
          // What was to be handed on again comes before the next steps of flows.
          if (isLast()) parts.flows.timers.take(partition);
        });
    },
    completeLate: recover,
    complete: (key, epoch) => complete(parts, key, epoch),
    flush: () => parts.snapshots.flush(),
    giveUp(partition) {
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
  if (!world.alive()) return [];
  const held = [...recovered];
  await Promise.all(held.map(([, recovery]) => recovery));
  await snapshots.flush();
  if (!world.alive()) return [];
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
    void handOnAgain(parts, entry, epoch);
  }
}

interface Recovering {
  readonly parts: ConversationParts;
  readonly left: LeftBehind<EntryDocument>;
}

/** Snapshots first, then whatever had not been handed on. */
async function recoverPending(
  { parts, left }: Recovering,
  partition: number,
  epoch: number,
): Promise<void> {
  const little = await left.of(partition);
  if (little) return recoverPage(parts, little, epoch);
  const { store } = parts.world;
  for (let last = ''; parts.world.alive(); ) {
    const entries = await store.find<EntryDocument>(
      'entries',
      { pending: partition, _id: { $gt: last } },
      { sort: { _id: 1 }, limit: RECOVERY_BATCH },
    );
    await recoverPage(parts, entries, epoch);
    const end = entries.at(-1);
    if (entries.length < RECOVERY_BATCH || !end) return;
    last = end._id;
  }
}

async function recoverPage(
  parts: ConversationParts,
  entries: readonly EntryDocument[],
  epoch: number,
): Promise<void> {
  const { store } = parts.world;
  await writeSnapshots(store, await behind(store, newestOf(entries)), epoch);
  for (const entry of entries) void handOnAgain(parts, entry, epoch);
}

async function handOnAgain(
  parts: ConversationParts,
  entry: EntryDocument,
  epoch: number,
): Promise<void> {
  const outbox = entry.outbox ?? [];
  const release = holdFlow(parts, entry, outbox);
  const taken = await parts.relay.handOn(entry.orgId, outbox).finally(release);
  if (taken) parts.snapshots.settle({ entry, ids: outbox.map((item) => item.id), epoch });
}
