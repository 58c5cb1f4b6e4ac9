/**
 * Snapshots that are due and entries that are to be cleared, without a store or a clock
 * (`snapshot-writer.ts` has both).
 *
 * 1. Both belong to one epoch of their partition and end with it. Later calls of that epoch are
 *    ignored: an entry whose snapshot may never be written stays pending.
 * 2. A conversation has one due snapshot: that of its highest `seq`.
 */
import { partitionOf } from '../../../shared/wire/subjects.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { EntryDocument } from '../../model/conversation.ts';

/** Number of due snapshots that begins a write: a list may have to wait for them. */
const DUE_MAX = 4_000;
/** Number of clears that begins a write: after a crash the next owner publishes them again. */
const CLEARS_MAX = 15_000;
/** Room for both, as a multiple of the above; it includes writes under way. */
const ROOM = 2;

/** One tenure of a partition of conversations. */
interface Tenure {
  readonly partition: number;
  readonly epoch: number;
}

export interface DueSnapshot extends Tenure {
  readonly state: ConversationState;
  /** The facet under which it is counted may have changed since the last snapshot. */
  readonly recount: boolean;
}

export interface PendingClear extends Tenure {
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

export class PendingSnapshots {
  #due = new Map<string, DueSnapshot>();
  #clears: PendingClear[] = [];
  /** Of partitions under recovery; no turn waits until they are cleared. */
  #deferredClears: PendingClear[] = [];
  /** Epoch of the tenure, by partition. */
  readonly #epochs = new Map<number, number>();
  readonly #recovering = new Set<number>();
  /** Snapshots whose write is under way. */
  writing = 0;
  /** Entries whose clearing is under way. */
  clearing = 0;

  get hasCapacity(): boolean {
    const due = this.#due.size + this.writing;
    const clears = this.#clears.length + this.clearing;
    return due < ROOM * DUE_MAX && clears < ROOM * CLEARS_MAX;
  }

  /** A write has enough to do, before its time. */
  get isEnough(): boolean {
    return this.#due.size >= DUE_MAX || this.#clears.length >= CLEARS_MAX;
  }

  /** False: the tenure has ended. */
  add(state: ConversationState, epoch: number, before?: ConversationState | null): boolean {
    const tenure = { partition: partitionOf('conversation', state.id), epoch };
    if (!this.holds(tenure)) return false;
    const due = this.#due.get(state.id);
    const moved = before?.status !== state.status || before?.joinedTo !== state.joinedTo;
    const recount = moved || due?.recount === true;
    // The answer of a log read may arrive after the next append: the higher `seq` wins.
    const newest = due?.epoch === epoch && due.state.seq > state.seq ? due.state : state;
    this.#due.set(state.id, { ...tenure, state: newest, recount });
    return true;
  }

  /** False: the tenure has ended. */
  addPublished({ entry: { _id, conversationId }, ids, epoch }: Published): boolean {
    const tenure = { partition: partitionOf('conversation', conversationId), epoch };
    if (!this.holds(tenure)) return false;
    const clear = { ...tenure, entryId: _id, conversationId, published: ids };
    if (this.#recovering.has(tenure.partition)) this.#deferredClears.push(clear);
    else this.#clears.push(clear);
    return true;
  }

  /** Clears of the partition wait until `endRecovery`. True: it has ended another tenure. */
  acquire(partition: number, epoch: number): boolean {
    const ended = this.#epochs.get(partition) !== epoch && this.release(partition);
    this.#epochs.set(partition, epoch);
    this.#recovering.add(partition);
    return ended;
  }

  /** True: clears have waited for it, or those of another partition wait still. */
  endRecovery(partition: number): boolean {
    if (!this.#recovering.delete(partition) || this.#deferredClears.length === 0) return false;
    const ofPartition = this.#deferredClears.filter((each) => each.partition === partition);
    this.#clears = this.#clears.concat(ofPartition);
    this.#deferredClears = this.#deferredClears.filter((each) => each.partition !== partition);
    return true;
  }

  /** Ends the tenure. True: `dropReleased` drops what was due in it. */
  release(partition: number): boolean {
    this.#recovering.delete(partition);
    return this.#epochs.delete(partition);
  }

  dropReleased(): void {
    const isHeld = (each: Tenure): boolean => this.holds(each);
    this.#clears = this.#clears.filter(isHeld);
    this.#deferredClears = this.#deferredClears.filter(isHeld);
    for (const [conversationId, due] of this.#due) {
      if (!isHeld(due)) this.#due.delete(conversationId);
    }
  }

  /** All that is due: what is added from now on is due in the next write. */
  take(): { readonly due: readonly DueSnapshot[]; readonly clears: readonly PendingClear[] } {
    const due = [...this.#due.values()].filter((each) => this.holds(each));
    const clears = this.#clears;
    this.#clears = [];
    if (this.#due.size > 0) this.#due = new Map();
    return { due, clears };
  }

  /** Those whose tenure has lasted until their snapshots were written. */
  clearable(clears: readonly PendingClear[]): readonly PendingClear[] {
    return clears.filter((each) => this.holds(each));
  }

  holds({ partition, epoch }: Tenure): boolean {
    return this.#epochs.get(partition) === epoch;
  }
}
