/**
 * Group commit: while one journaled write is in progress the next group gathers. Each caller
 * receives the outcome of its own writes (I20). A single caller has no extra cost.
 *
 * 1. A commit resolves only when every write of it is journaled or refused.
 * 2. No write is retried here: a lost answer rejects, and the caller reads the stored state again.
 * 3. The inserts of each collection, snapshots and deferrable writes have a queue each. So a write
 *    with a waiting caller never queues behind them.
 * 4. Deferrable writes gather for a moment, because a group of one costs the engine as much as ten
 *    more writes in it.
 */

import type { CommitOptions, PlainWrite, WriteOutcome } from '../../../shared/ports/store.ts';
import type { MongoConnection } from './client.ts';
import { withinDeadline } from './deadline.ts';
import { changeGroup, insertGroup, refusalOf } from './group-writes.ts';

/** Of one command; further writes go in the next. */
const GROUP_MAX_WRITES = 500;
/** Time for which deferrable writes gather, unless `LINGER_MAX_WRITES` are already there. */
const LINGER_MS = 10;
const LINGER_MAX_WRITES = 32;

export type WriteGroup = (
  connection: MongoConnection,
  writes: readonly PlainWrite[],
) => Promise<readonly WriteOutcome[]>;

interface Waiting {
  readonly writes: readonly PlainWrite[];
  readonly resolve: (outcomes: readonly WriteOutcome[]) => void;
  readonly reject: (error: Error) => void;
}

interface WriteQueueOptions {
  readonly writeGroup: WriteGroup;
  readonly onGroup: (writes: number, ms: number) => void;
  readonly lingerMs: number;
  /** The store's own unless given. */
  readonly deadlineMs: number | undefined;
}

const NO_OUTCOME: WriteOutcome = { ok: false, error: new Error('no outcome') };

/** One group in flight at a time: small groups at once cost the engine more than a large one. */
class WriteQueue {
  readonly #connection: MongoConnection;
  readonly #writeGroup: WriteGroup;
  readonly #onGroup: (writes: number, ms: number) => void;
  readonly #lingerMs: number;
  readonly #deadlineMs: number | undefined;
  /** Bounded by the turns under way, each of which fails after the store's deadline. */
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(connection: MongoConnection, options: WriteQueueOptions) {
    this.#connection = connection;
    this.#writeGroup = options.writeGroup;
    this.#onGroup = options.onGroup;
    this.#lingerMs = options.lingerMs;
    this.#deadlineMs = options.deadlineMs;
  }

  commit(writes: readonly PlainWrite[]): Promise<readonly WriteOutcome[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly WriteOutcome[]>();
    this.#waiting.push({ writes, resolve, reject });
    if (!this.#writing) {
      this.#writing = true;
      // The turns of this tick still have writes to add.
      setImmediate(() => void this.#drain());
    }
    return promise;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#lingerMs > 0) await this.#linger();
      await this.#write(this.#nextGroup());
    }
    this.#writing = false;
  }

  async #linger(): Promise<void> {
    if (this.#waiting.length >= LINGER_MAX_WRITES) return;
    await new Promise((resume) => setTimeout(resume, this.#lingerMs));
  }

  #nextGroup(): Waiting[] {
    let writes = 0;
    let taken = 0;
    for (const waiting of this.#waiting) {
      if (taken > 0 && writes + waiting.writes.length > GROUP_MAX_WRITES) break;
      writes += waiting.writes.length;
      taken++;
    }
    return this.#waiting.splice(0, taken);
  }

  /** A write that is refused before it is sent harms no other write of its group. */
  async #writeAccepted(writes: readonly PlainWrite[]): Promise<readonly WriteOutcome[]> {
    const refusals = writes.map(refusalOf);
    const sent = writes.filter((_, index) => refusals[index] === null);
    const outcomes = sent.length > 0 ? await this.#writeGroup(this.#connection, sent) : [];
    if (sent.length === writes.length) return outcomes;
    const rest = [...outcomes];
    return refusals.map((refusal) => refusal ?? rest.shift() ?? NO_OUTCOME);
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const started = performance.now();
    const writes = group.flatMap((waiting) => waiting.writes);
    try {
      const written = this.#writeAccepted(writes);
      const outcomes = await withinDeadline(written, 'a grouped commit', this.#deadlineMs);
      this.#onGroup(writes.length, performance.now() - started);
      let at = 0;
      for (const waiting of group) {
        waiting.resolve(outcomes.slice(at, at + waiting.writes.length));
        at += waiting.writes.length;
      }
    } catch (cause) {
      const error = new Error('the store could not say whether it wrote', { cause });
      for (const waiting of group) waiting.reject(error);
    }
  }
}

export interface GroupCommitOptions {
  /** Called after each group. */
  readonly onGroup?: (writes: number, ms: number) => void;
  /** For groups whose size a slow machine cannot write within the store's deadline. */
  readonly deadlineMs?: number;
}

export class GroupCommit {
  readonly #connection: MongoConnection;
  readonly #options: GroupCommitOptions;
  readonly #queues = new Map<string, WriteQueue>();

  constructor(connection: MongoConnection, options: GroupCommitOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  commit(
    writes: readonly PlainWrite[],
    { deferrable = false }: CommitOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    const [first] = writes;
    if (!first) return Promise.resolve([]);
    const change = deferrable ? DEFERRABLE : CHANGES;
    const name = queueOf(first, change);
    const together = writes.every((write) => queueOf(write, change) === name);
    return together ? this.#queueFor(name).commit(writes) : this.#commitSplit(writes, change);
  }

  async #commitSplit(
    writes: readonly PlainWrite[],
    change: string,
  ): Promise<readonly WriteOutcome[]> {
    const outcomes = new Array<WriteOutcome>(writes.length);
    const indexes = Map.groupBy(writes.keys(), (index) => queueOf(writes[index], change));
    await Promise.all(
      [...indexes].map(async ([name, mine]) => {
        const those = mine.flatMap((index) => writes[index] ?? []);
        const written = await this.#queueFor(name).commit(those);
        mine.forEach((index, at) => {
          outcomes[index] = written[at] ?? NO_OUTCOME;
        });
      }),
    );
    return outcomes;
  }

  #queueFor(name: string): WriteQueue {
    let queue = this.#queues.get(name);
    if (!queue) {
      const writeGroup = OF_CHANGES.has(name) ? changeGroup : insertGroup;
      const { onGroup = () => undefined, deadlineMs } = this.#options;
      const lingerMs = name === DEFERRABLE ? LINGER_MS : 0;
      const options = { writeGroup, onGroup, lingerMs, deadlineMs };
      queue = new WriteQueue(this.#connection, options);
      this.#queues.set(name, queue);
    }
    return queue;
  }
}

const CHANGES = 'changes';
const SNAPSHOTS = 'snapshots';
const DEFERRABLE = 'deferrable';
const OF_CHANGES: ReadonlySet<string> = new Set([CHANGES, SNAPSHOTS, DEFERRABLE]);

/** @param change the queue of a write that is neither an insert nor a snapshot */
function queueOf(write: PlainWrite | undefined, change: string): string {
  if (write && 'insert' in write) return write.insert;
  return write && 'update' in write && write.update === 'conversations' ? SNAPSHOTS : change;
}
