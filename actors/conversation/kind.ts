/** Conversations as the runtime sees them, and what their next owner completes after a crash. */
import { partitionOf } from '../../shared/subjects.ts';
import { holdFlow } from '../flow/follow.ts';
import { LeftBehind } from '../outbox/left.ts';
import type { Kind } from '../runtime/actor.ts';
import { sayCounted } from '../tally/mark.ts';
import { CONVERSATION_TALLY } from '../tally/tallied.ts';
import type { World } from '../world.ts';
import { ConversationActor } from './actor.ts';
import type { ConversationParts } from './conversation.ts';
import { type EntryDocument, snapshotWrite } from './documents.ts';
import { answerBarrier } from './snapshot-barrier.ts';

const RECOVERY_BATCH = 500;
const QUEUED_SHARED_MS = 500;

export function conversationKind(parts: ConversationParts): Kind {
  const most = { collection: 'entries', most: RECOVERY_BATCH };
  const left = new LeftBehind<EntryDocument>(parts.world, most);
  const recovering = { parts, left };
  /** A partition's snapshots are complete once what its last owner left has been written. */
  const recovered = new Map<number, Promise<void>>();
  answerBarrier(parts.world, async () => {
    const partitions = [...recovered.keys()];
    await Promise.all(recovered.values());
    await parts.snapshots.flush();
    return partitions.filter((partition) => recovered.has(partition));
  });
  return {
    kind: 'conversation',
    open: (key, epoch, stale) => new ConversationActor(key, { epoch, stale }, parts),
    take(partition, epoch) {
      const recovery = recover(recovering, partition, epoch);
      recovered.set(partition, recovery);
      // What was to be handed on again comes before the next steps of flows.
      return recovery.finally(() => {
        if (recovered.get(partition) === recovery) parts.flows.timers.take(partition);
      });
    },
    completeLate: (partition, epoch) => recover(recovering, partition, epoch),
    complete: (key, epoch) => complete(parts, key, epoch),
    flush: () => parts.snapshots.flush(),
    giveUp(partition) {
      recovered.delete(partition);
      parts.snapshots.forget(partition);
      parts.flows.timers.giveUp(partition);
    },
  };
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
    void handOnAgain(parts, entry);
  }
}

interface Recovering {
  readonly parts: ConversationParts;
  readonly left: LeftBehind<EntryDocument>;
}

/** Snapshots first, then whatever had not been handed on. */
async function recover(
  { parts, left }: Recovering,
  partition: number,
  epoch: number,
): Promise<void> {
  await recoverQueued(parts, partition, epoch);
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
  await writeSnapshots(parts, newestOf(entries), epoch);
  for (const entry of entries) void handOnAgain(parts, entry);
}

/** Queued messages: the newest of each conversation tells whether its snapshot has landed. */
async function recoverQueued(
  parts: ConversationParts,
  partition: number,
  epoch: number,
): Promise<void> {
  const queued = await parts.queued();
  const mine = queued.get(partition) ?? [];
  const ids = newestOf(mine).map((entry) => entry._id);
  for (let at = 0; at < ids.length && parts.world.alive(); at += RECOVERY_BATCH) {
    const entries = await parts.world.store.find<EntryDocument>('entries', {
      _id: { $in: ids.slice(at, at + RECOVERY_BATCH) },
    });
    await writeSnapshots(parts, entries, epoch);
  }
}

function newestOf<T extends Pick<EntryDocument, 'conversationId' | 'seq'>>(entries: readonly T[]) {
  const newest = new Map<string, T>();
  for (const entry of entries) {
    const known = newest.get(entry.conversationId);
    if (!known || known.seq < entry.seq) newest.set(entry.conversationId, entry);
  }
  return [...newest.values()];
}

async function writeSnapshots(
  { world }: ConversationParts,
  entries: readonly EntryDocument[],
  epoch: number,
): Promise<void> {
  const ids = entries.map((entry) => entry.conversationId);
  await sayCounted(world.store, CONVERSATION_TALLY, ids);
  await world.store.commit(
    entries.map((entry) => snapshotWrite(entry.after, epoch, { recount: true })),
  );
}

async function handOnAgain(parts: ConversationParts, entry: EntryDocument): Promise<void> {
  const outbox = entry.outbox ?? [];
  const release = holdFlow(parts, entry, outbox);
  const taken = await parts.relay.handOn(entry.orgId, outbox).finally(release);
  if (taken) {
    parts.snapshots.settle(
      entry._id,
      outbox.map((item) => item.id),
    );
  }
}

/**
 * By the conversation's partition. Partitions are taken many at a time: one read of the send agenda
 * serves them all.
 */
export function sharedQueued(world: World): ConversationParts['queued'] {
  let reading: ReturnType<ConversationParts['queued']> | null = null;
  return () => {
    reading ??= world.store
      .find<EntryDocument>(
        'entries',
        // The index holds none but these, and is used only where the question says so too.
        { 'send.partition': { $gte: 0 }, send: { $exists: true } },
        { project: { conversationId: 1, seq: 1 } },
      )
      .then((queued) =>
        Map.groupBy(queued, (entry) => partitionOf('conversation', entry.conversationId)),
      )
      .finally(() => {
        world.clock.after(QUEUED_SHARED_MS, () => {
          reading = null;
        });
      });
    return reading;
  };
}
