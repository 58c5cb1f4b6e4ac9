/**
 * Write-behind of conversation snapshots. A snapshot costs more than the entry that is the truth
 * (125 µs against 80 µs). One write therefore serves all recent entries of a conversation, and a
 * list waits for it (`ReadBarrier`).
 *
 * 1. An entry stays pending, or in the send agenda, until its snapshot is written and its outbox is
 *    published. The partition's next owner finds the missing work there.
 * 2. `flush` resolves when every snapshot that was due at the call is written, or its partition's
 *    epoch or the lease has ended.
 * 3. Due snapshots and clears belong to one epoch and end with it. Later calls of that epoch are
 *    ignored: an entry whose snapshot may never be written stays pending.
 * 4. Back-pressure: without room for its entry a turn waits before it appends. The room and one
 *    entry for each turn under way bound memory, however slow the store is.
 */
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { recordCounted } from '../../counters/counted-collection.ts';
import { COUNTED_CONVERSATIONS } from '../../counters/counted-collections.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { Environment } from '../../environment.ts';
import type { Write } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { clearPublished } from '../../outbox/relay.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { sleep } from '../../runtime/repeat.ts';
import { snapshotWrite } from './documents.ts';

/**
 * No list waits for this delay. After a crash the next owner writes the pending snapshots. The
 * delay is shorter than the time after which an idle actor is closed: the actor loads the snapshot
 * again.
 */
const WRITE_EVERY_MS = 15_000;
/** Number of due snapshots that begins a write: a list may have to wait for them. */
const DUE_MAX = 4_000;
/** Number of clears that begins a write: after a crash the next owner publishes them again. */
const CLEARS_MAX = 15_000;
/** Room for both, as a multiple of the above; it includes writes under way. */
const ROOM = 2;
/** Small writes let concurrent sends through between them. */
const WRITES_AT_ONCE = 50;
const RETRY_MS = 100;

/** One tenure of a partition of conversations. */
interface Tenure {
  readonly partition: number;
  readonly epoch: number;
}

interface DueSnapshot extends Tenure {
  readonly state: ConversationState;
  /** The facet under which it is counted may have changed since the last snapshot. */
  readonly recount: boolean;
}

interface PendingClear extends Tenure {
  readonly entryId: string;
  readonly conversationId: string;
  readonly published: readonly string[];
}

/** An entry with a published outbox. */
export interface Published {
  readonly entry: Pick<EntryDocument, '_id' | 'conversationId'>;
  /** Ids of the items in its outbox. */
  readonly ids: readonly string[];
  /** Epoch of the commit, or of the owner that found the entry. */
  readonly epoch: number;
}

type SnapshotWriterEnvironment = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class SnapshotWriter {
  readonly #environment: SnapshotWriterEnvironment;
  #due = new Map<string, DueSnapshot>();
  #clears: PendingClear[] = [];
  /** Of partitions under recovery; no turn waits until they are cleared. */
  #deferredClears: PendingClear[] = [];
  /** Epoch of the tenure, by partition. */
  readonly #epochs = new Map<number, number>();
  readonly #recovering = new Set<number>();
  #releasing = false;
  #cancelWrite: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** The write that begins when the current one has ended. */
  #nextWrite: Promise<void> | null = null;
  #writesInFlight = 0;
  #clearsInFlight = 0;
  /** Resolves when some room has become free. */
  #freed = Promise.withResolvers<void>();

  constructor(environment: SnapshotWriterEnvironment) {
    this.#environment = environment;
  }

  get hasRoom(): boolean {
    const due = this.#due.size + this.#writesInFlight;
    const clears = this.#clears.length + this.#clearsInFlight;
    return due < ROOM * DUE_MAX && clears < ROOM * CLEARS_MAX;
  }

  /** Resolves when there is room for an entry, or the lease has ended. */
  async waitForRoom(): Promise<void> {
    while (!this.hasRoom && this.#environment.leaseHeld()) await this.#freed.promise;
  }

  /** Adds the state of a new last entry; `before` is the state of the entry before it. */
  add(state: ConversationState, epoch: number, before?: ConversationState | null): void {
    const tenure = { partition: partitionOf('conversation', state.id), epoch };
    if (!this.#holds(tenure)) return;
    const due = this.#due.get(state.id);
    const moved = before?.status !== state.status || before?.joinedTo !== state.joinedTo;
    const recount = moved || due?.recount === true;
    // The answer of a log read may arrive after the next append: the higher `seq` wins.
    const newest = due?.epoch === epoch && due.state.seq > state.seq ? due.state : state;
    this.#due.set(state.id, { ...tenure, state: newest, recount });
    if (this.#due.size >= DUE_MAX) void this.flush();
    else this.#schedule(WRITE_EVERY_MS);
  }

  /** The entry's outbox has been published; it is cleared once its snapshot is written. */
  markPublished({ entry: { _id, conversationId }, ids, epoch }: Published): void {
    const tenure = { partition: partitionOf('conversation', conversationId), epoch };
    if (!this.#holds(tenure)) return;
    const clears = { ...tenure, entryId: _id, conversationId, published: ids };
    if (this.#recovering.has(tenure.partition)) this.#deferredClears.push(clears);
    else this.#clears.push(clears);
    if (this.#clears.length >= CLEARS_MAX) void this.flush();
    else this.#schedule(WRITE_EVERY_MS);
  }

  /**
   * Begins a tenure of the partition. No entry of it is cleared until `endRecovery`: the recovery
   * still searches them. A second call under the same epoch keeps the due snapshots.
   */
  acquire(partition: number, epoch: number): void {
    if (this.#epochs.get(partition) !== epoch) this.release(partition);
    this.#epochs.set(partition, epoch);
    this.#recovering.add(partition);
  }

  endRecovery(partition: number): void {
    if (!this.#recovering.delete(partition)) return;
    if (this.#deferredClears.length === 0) return;
    const ofPartition = this.#deferredClears.filter((each) => each.partition === partition);
    this.#clears = this.#clears.concat(ofPartition);
    this.#deferredClears = this.#deferredClears.filter((each) => each.partition !== partition);
    this.#schedule(WRITE_EVERY_MS);
  }

  /** Writes due snapshots now; repeats until they are written or the lease has ended. */
  flush(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = null;
    this.#nextWrite ??= this.#writing.then(() => {
      this.#nextWrite = null;
      return this.#write();
    });
    this.#writing = this.#nextWrite;
    return this.#nextWrite;
  }

  /** Ends the tenure; the same process may own the partition again under another epoch. */
  release(partition: number): void {
    this.#recovering.delete(partition);
    if (!this.#epochs.delete(partition)) return;
    if (this.#releasing) return;
    this.#releasing = true;
    queueMicrotask(() => this.#dropReleased());
  }

  /** Once for all partitions of a tick: a lost lease ends a thousand. */
  #dropReleased(): void {
    this.#releasing = false;
    const isHeld = (each: Tenure): boolean => this.#holds(each);
    this.#clears = this.#clears.filter(isHeld);
    this.#deferredClears = this.#deferredClears.filter(isHeld);
    for (const [conversationId, due] of this.#due) {
      if (!isHeld(due)) this.#due.delete(conversationId);
    }
    this.#signalFreed();
  }

  #signalFreed(): void {
    this.#freed.resolve();
    this.#freed = Promise.withResolvers<void>();
  }

  #holds({ partition, epoch }: Tenure): boolean {
    return this.#epochs.get(partition) === epoch;
  }

  #schedule(ms: number): void {
    this.#cancelWrite ??= this.#environment.clock.after(ms, () => void this.flush());
  }

  async #write(): Promise<void> {
    const due = this.#due;
    const clears = this.#clears;
    this.#clears = [];
    if (due.size === 0 && clears.length === 0) return;
    this.#due = new Map();
    const held = [...due.values()].filter((each) => this.#holds(each));
    if (!(await this.#writeAll(held))) return;
    // No caller waits for the clears. Their snapshots are written, so they may outlast the tenure.
    void this.#clear(clears.filter((each) => this.#holds(each)));
  }

  /** False when the lease has ended. */
  async #writeAll(snapshots: readonly DueSnapshot[]): Promise<boolean> {
    let remaining = snapshots;
    while (remaining.length > 0) {
      this.#writesInFlight = remaining.length;
      const some = remaining.slice(0, WRITES_AT_ONCE);
      if (await this.#writeSome(some)) {
        remaining = remaining.slice(some.length);
      } else if (this.#environment.leaseHeld()) {
        await sleep(this.#environment.clock, RETRY_MS);
        remaining = remaining.filter((each) => this.#holds(each));
      } else break;
      this.#signalFreed();
    }
    this.#writesInFlight = 0;
    this.#signalFreed();
    return remaining.length === 0;
  }

  async #writeSome(snapshots: readonly DueSnapshot[]): Promise<boolean> {
    const { store, log } = this.#environment;
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

  async #clear(published: readonly PendingClear[]): Promise<void> {
    const clears = ofEntries(published);
    this.#clearsInFlight += clears.length;
    let at = 0;
    for (; at < clears.length && this.#environment.leaseHeld(); at += WRITES_AT_ONCE) {
      const some = clears.slice(at, at + WRITES_AT_ONCE);
      await clearPublished(this.#environment, clearing(some));
      this.#clearsInFlight -= some.length;
      this.#signalFreed();
    }
    this.#clearsInFlight -= Math.max(0, clears.length - at);
    this.#signalFreed();
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
  const kept = {
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
      { $set: { outbox: kept } },
      {
        $set: {
          pending: { $cond: [empty, '$$REMOVE', '$pending'] },
          outbox: { $cond: [empty, '$$REMOVE', '$outbox'] },
        },
      },
    ],
  };
}
