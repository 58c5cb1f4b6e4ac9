/**
 * Snapshots of conversations, written behind: what a list shows costs more to write than the entry
 * that is the truth (125 µs against 80 µs), so a conversation's snapshot is written once for all
 * the entries of a moment, and a list first waits for the snapshots (`SnapshotBarrier`).
 *
 * 1. An entry stays pending, or in the send agenda, until its snapshot has landed and its outbox
 *    has been published: whoever owns the partition next finds what is missing.
 * 2. `flush` resolves when every snapshot that was due when it was called has landed, or its
 *    partition is held no more under the epoch of its entry.
 * 3. What is due and what is to be cleared belong to one epoch. The end of it ends both, and what
 *    comes late of it is not taken: an entry whose snapshot may never land stays pending.
 * 4. Back-pressure: without room for its entry a turn waits before it appends. Memory is bounded
 *    by the room and one entry for each turn under way, however slow the store is.
 */
import type { Write } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import { COUNTED_CONVERSATIONS } from '../counters/counted-collections.ts';
import { recordCounted } from '../counters/dirty-fields.ts';
import type { ConversationState } from '../domain/conversation.ts';
import type { Environment } from '../environment.ts';
import { clearPublished } from '../outbox/clear.ts';
import { describe } from '../runtime/mailbox.ts';
import { type EntryDocument, snapshotWrite } from './documents.ts';

/**
 * A list does not wait for this; a crash makes the next owner write what it finds pending. Sooner
 * than a conversation that rests is forgotten: it is loaded from its snapshot.
 */
const WRITE_EVERY_MS = 15_000;
/** So many begin a write: a list may have to wait for it. */
const DUE_MAX = 4_000;
/** So many begin a write: the next owner would hand them on again after a crash. */
const CLEARS_MAX = 15_000;
/** How much of both there may be, with what is being written. */
const ROOM = 2;
/** Small writes let the sends of the same moment through between them. */
const WRITES_AT_ONCE = 50;
const RETRY_MS = 100;

/** One time of holding a partition of conversations. */
interface Tenure {
  readonly partition: number;
  readonly epoch: number;
}

interface DueSnapshot extends Tenure {
  readonly state: ConversationState;
  /** What it is counted as may have changed since the last snapshot. */
  readonly recount: boolean;
}

interface PendingClear extends Tenure {
  readonly entryId: string;
  readonly published: readonly string[];
}

/** An entry of which everything that follows has been published. */
export interface Published {
  readonly entry: Pick<EntryDocument, '_id' | 'conversationId'>;
  /** Ids of what was in its outbox. */
  readonly ids: readonly string[];
  /** Under which its conversation was owned when it was committed, or found. */
  readonly epoch: number;
}

type SnapshotWriterEnvironment = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class SnapshotWriter {
  readonly #environment: SnapshotWriterEnvironment;
  #due = new Map<string, DueSnapshot>();
  #clears: PendingClear[] = [];
  /** Of partitions whose owner still looks for them: no turn waits until they are cleared. */
  #deferredClears: PendingClear[] = [];
  /** By partition, the epoch under which it is held. */
  readonly #epochs = new Map<number, number>();
  readonly #recovering = new Set<number>();
  #cancelWrite: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** The write that begins when the one under way has ended. */
  #nextWrite: Promise<void> | null = null;
  #writesInFlight = 0;
  #clearsInFlight = 0;
  /** Resolved when some of what is held has gone. */
  #freed = Promise.withResolvers<void>();

  constructor(environment: SnapshotWriterEnvironment) {
    this.#environment = environment;
  }

  get hasRoom(): boolean {
    const due = this.#due.size + this.#writesInFlight;
    const clears = this.#clears.length + this.#clearsInFlight;
    return due < ROOM * DUE_MAX && clears < ROOM * CLEARS_MAX;
  }

  /** Resolves when there is room for an entry, or this process may act no more. */
  async waitForRoom(): Promise<void> {
    while (!this.hasRoom && this.#environment.leaseHeld()) await this.#freed.promise;
  }

  /** The conversation has a new last entry; `before` is the state after the one before it. */
  add(state: ConversationState, epoch: number, before?: ConversationState | null): void {
    const tenure = { partition: partitionOf('conversation', state.id), epoch };
    if (!this.#holds(tenure)) return;
    const due = this.#due.get(state.id);
    const moved = before?.status !== state.status || before?.joinedTo !== state.joinedTo;
    const recount = moved || due?.recount === true;
    // A log read for its last entry may be answered after the next append.
    const newest = due && due.state.seq > state.seq ? due.state : state;
    this.#due.set(state.id, { ...tenure, state: newest, recount });
    if (this.#due.size >= DUE_MAX) void this.flush();
    else this.#schedule(WRITE_EVERY_MS);
  }

  /** The entry's outbox has been published; it is cleared once its snapshot is there. */
  markPublished({ entry: { _id, conversationId }, ids, epoch }: Published): void {
    const tenure = { partition: partitionOf('conversation', conversationId), epoch };
    if (!this.#holds(tenure)) return;
    const clears = { ...tenure, entryId: _id, published: ids };
    if (this.#recovering.has(tenure.partition)) this.#deferredClears.push(clears);
    else this.#clears.push(clears);
    if (this.#clears.length >= CLEARS_MAX) void this.flush();
    else this.#schedule(WRITE_EVERY_MS);
  }

  /**
   * The partition is held under this epoch. Until `letClear` no entry of it is cleared: its new
   * owner still looks for them. Called again under the same epoch it keeps what is due.
   */
  acquire(partition: number, epoch: number): void {
    if (this.#epochs.get(partition) !== epoch) this.release(partition);
    this.#epochs.set(partition, epoch);
    this.#recovering.add(partition);
  }

  endRecovery(partition: number): void {
    if (!this.#recovering.delete(partition)) return;
    const ofPartition = this.#deferredClears.filter((each) => each.partition === partition);
    this.#clears = this.#clears.concat(ofPartition);
    this.#deferredClears = this.#deferredClears.filter((each) => each.partition !== partition);
    this.#schedule(WRITE_EVERY_MS);
  }

  /** Writes what is due now; tries until it is written or this process may act no more. */
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

  /** The partition belongs to somebody else now, if only to this process under another epoch. */
  release(partition: number): void {
    this.#recovering.delete(partition);
    if (!this.#epochs.delete(partition)) return;
    const isOther = (each: PendingClear): boolean => each.partition !== partition;
    this.#clears = this.#clears.filter(isOther);
    this.#deferredClears = this.#deferredClears.filter(isOther);
    for (const [conversationId, due] of this.#due) {
      if (due.partition === partition) this.#due.delete(conversationId);
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
    if (!(await this.#writeAll([...due.values()]))) return;
    // No caller waits for the clearing. Each entry has its snapshot: it may end after a hand-over.
    void this.#clear(clears.filter((each) => this.#holds(each)));
  }

  /** False when this process may act no more. */
  async #writeAll(snapshots: readonly DueSnapshot[]): Promise<boolean> {
    let remaining = snapshots;
    while (remaining.length > 0) {
      this.#writesInFlight = remaining.length;
      const some = remaining.slice(0, WRITES_AT_ONCE);
      if (await this.#writeSome(some)) {
        remaining = remaining.slice(some.length);
      } else if (this.#environment.leaseHeld()) {
        await new Promise<void>((resume) => this.#environment.clock.after(RETRY_MS, resume));
        remaining = remaining.filter((each) => this.#holds(each));
      } else break;
      this.#signalFreed();
    }
    this.#writesInFlight = 0;
    this.#signalFreed();
    return remaining.length === 0;
  }

  async #writeSome(snapshots: readonly DueSnapshot[]): Promise<boolean> {
    const recounted = snapshots.filter(({ recount }) => recount).map(({ state }) => state.id);
    try {
      await recordCounted(this.#environment.store, COUNTED_CONVERSATIONS, recounted);
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'read of snapshots failed');
      return false;
    }
    return this.#commit(
      snapshots.map(({ state, epoch, recount }) => snapshotWrite(state, epoch, { recount })),
    );
  }

  async #clear(clears: readonly PendingClear[]): Promise<void> {
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

  async #commit(writes: readonly Write[]): Promise<boolean> {
    try {
      const outcomes = await this.#environment.store.commit(writes);
      // A duplicate is another's first snapshot, which may be older: it is raised the next time.
      return outcomes.every((outcome) => outcome.ok);
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'write of snapshots failed');
      return false;
    }
  }
}

/** An entry stays pending while its outbox holds anything that was added meanwhile. */
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
    filter: { _id: { $in: entries.map((entry) => entry.entryId) } },
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
