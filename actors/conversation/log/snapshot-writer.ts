/**
 * Write-behind of conversation snapshots. A snapshot costs more than the entry that is the truth
 * (125 µs against 80 µs). One write therefore serves all recent entries of a conversation, and a
 * list waits for it (`ReadBarrier`).
 *
 * 1. An entry stays pending, or in the send agenda, until its snapshot is written and its outbox is
 *    published. The partition's next owner finds the missing work there.
 * 2. `flush` resolves when every snapshot that was due at the call is written, or its partition's
 *    epoch or the lease has ended.
 * 3. Due snapshots and clears belong to one epoch and end with it (`pending-snapshots.ts`).
 * 4. Back-pressure: without room for its entry a turn waits before it appends. The room and one
 *    entry for each turn under way bound memory, however slow the store is.
 */
import { recordCounted } from '../../counters/counted-collection.ts';
import { COUNTED_CONVERSATIONS } from '../../counters/counted-collections.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { Environment } from '../../environment.ts';
import type { Write } from '../../model/collections.ts';
import { clearPublished } from '../../outbox/relay.ts';
import { onceATick } from '../../runtime/concurrency.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { SharedRuns, sleep } from '../../runtime/repeat.ts';
import { snapshotWrite } from './documents.ts';
import {
  type DueSnapshot,
  type PendingClear,
  PendingSnapshots,
  type Published,
} from './pending-snapshots.ts';

/**
 * No list waits for this delay. After a crash the next owner writes the pending snapshots. The
 * delay is shorter than the time after which an idle actor is closed: the actor loads the snapshot
 * again.
 */
const WRITE_EVERY_MS = 15_000;
/** Small writes let concurrent sends through between them. */
const WRITES_AT_ONCE = 50;
const RETRY_MS = 100;

type SnapshotWriterEnvironment = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class SnapshotWriter {
  readonly #environment: SnapshotWriterEnvironment;
  readonly #pending = new PendingSnapshots();
  readonly #writes = new SharedRuns(() => this.#write());
  #cancelWrite: (() => void) | null = null;
  /** Resolves when some room has become free. */
  #freed = Promise.withResolvers<void>();

  constructor(environment: SnapshotWriterEnvironment) {
    this.#environment = environment;
  }

  get hasCapacity(): boolean {
    return this.#pending.hasCapacity;
  }

  /** Resolves when there is room for an entry, or the lease has ended. */
  async waitForCapacity(): Promise<void> {
    while (!this.hasCapacity && this.#environment.leaseHeld()) await this.#freed.promise;
  }

  /** Adds the state of a new last entry; `before` is the state of the entry before it. */
  add(state: ConversationState, epoch: number, before?: ConversationState | null): void {
    if (this.#pending.add(state, epoch, before)) this.#writeSoon();
  }

  /** The entry's outbox has been published; it is cleared once its snapshot is written. */
  markPublished(published: Published): void {
    if (this.#pending.addPublished(published)) this.#writeSoon();
  }

  /**
   * Begins a tenure of the partition. No entry of it is cleared until `endRecovery`: the recovery
   * still searches them. A second call under the same epoch keeps the due snapshots.
   */
  acquire(partition: number, epoch: number): void {
    if (this.#pending.acquire(partition, epoch)) this.#dropReleased();
  }

  endRecovery(partition: number): void {
    if (this.#pending.endRecovery(partition)) this.#writeSoon();
  }

  /** Writes due snapshots now; repeats until they are written or the lease has ended. */
  flush(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = null;
    return this.#writes.request();
  }

  /** Ends the tenure; the same process may own the partition again under another epoch. */
  release(partition: number): void {
    if (this.#pending.release(partition)) this.#dropReleased();
  }

  /** Once for all partitions of a tick: a lost lease ends a thousand. */
  readonly #dropReleased = onceATick(() => {
    this.#pending.dropReleased();
    this.#signalFreed();
  });

  #signalFreed(): void {
    this.#freed.resolve();
    this.#freed = Promise.withResolvers<void>();
  }

  #writeSoon(): void {
    if (this.#pending.isEnough) void this.flush();
    else
      this.#cancelWrite ??= this.#environment.clock.after(WRITE_EVERY_MS, () => void this.flush());
  }

  async #write(): Promise<void> {
    const { due, clears } = this.#pending.take();
    if (!(await this.#writeAll(due))) return;
    // No caller waits for the clears. Their snapshots are written, so they may outlast the tenure.
    void this.#clear(this.#pending.clearable(clears));
  }

  /** False when the lease has ended. */
  async #writeAll(snapshots: readonly DueSnapshot[]): Promise<boolean> {
    let remaining = snapshots;
    while (remaining.length > 0) {
      this.#pending.writing = remaining.length;
      const some = remaining.slice(0, WRITES_AT_ONCE);
      if (await writeSome(this.#environment, some)) {
        remaining = remaining.slice(some.length);
      } else if (this.#environment.leaseHeld()) {
        await sleep(this.#environment.clock, RETRY_MS);
        remaining = remaining.filter((each) => this.#pending.holds(each));
      } else break;
      this.#signalFreed();
    }
    this.#pending.writing = 0;
    this.#signalFreed();
    return remaining.length === 0;
  }

  async #clear(published: readonly PendingClear[]): Promise<void> {
    const clears = ofEntries(published);
    this.#pending.clearing += clears.length;
    let at = 0;
    for (; at < clears.length && this.#environment.leaseHeld(); at += WRITES_AT_ONCE) {
      const some = clears.slice(at, at + WRITES_AT_ONCE);
      await clearPublished(this.#environment, clearing(some));
      this.#pending.clearing -= some.length;
      this.#signalFreed();
    }
    this.#pending.clearing -= Math.max(0, clears.length - at);
    this.#signalFreed();
  }
}

/** False when some were not written. */
async function writeSome(
  { store, log }: Pick<SnapshotWriterEnvironment, 'store' | 'log'>,
  snapshots: readonly DueSnapshot[],
): Promise<boolean> {
  const recounted = snapshots.filter(({ recount }) => recount).map(({ state }) => state.id);
  try {
    await recordCounted(store, COUNTED_CONVERSATIONS, recounted);
  } catch (cause) {
    log.warn({ error: describe(cause) }, 'read of snapshots failed');
    return false;
  }
  try {
    const outcomes = await store.commit(
      snapshots.map(({ state, epoch, recount }) => snapshotWrite(state, epoch, { recount })),
    );
    // A duplicate means that another owner inserted a first snapshot, which may be older. The
    // next write raises it.
    return outcomes.every((outcome) => outcome.ok);
  } catch (cause) {
    log.warn({ error: describe(cause) }, 'write of snapshots failed');
    return false;
  }
}

/** One for each entry: what became of a message is published three times, and cleared at once. */
function ofEntries(clears: readonly PendingClear[]): readonly PendingClear[] {
  const byEntry = new Map<string, PendingClear>();
  for (const clear of clears) {
    const known = byEntry.get(clear.entryId)?.published ?? [];
    byEntry.set(clear.entryId, { ...clear, published: [...known, ...clear.published] });
  }
  return [...byEntry.values()];
}

/** An entry stays pending while its outbox holds items that were added meanwhile. */
function clearing(entries: readonly PendingClear[]): Write {
  const published = entries.flatMap((entry) => entry.published);
  const remaining = {
    $filter: {
      input: { $ifNull: ['$outbox', []] },
      cond: { $not: { $in: ['$$this.id', published] } },
    },
  };
  const empty = { $eq: ['$outbox', []] };
  return {
    update: 'entries',
    many: true,
    filter: {
      _id: { $in: entries.map((entry) => entry.entryId) },
      conversationId: { $in: entries.map((entry) => entry.conversationId) },
    },
    change: [
      { $set: { outbox: remaining } },
      {
        $set: {
          pending: { $cond: [empty, '$$REMOVE', '$pending'] },
          outbox: { $cond: [empty, '$$REMOVE', '$outbox'] },
        },
      },
    ],
  };
}
