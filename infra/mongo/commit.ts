/**
 * Grouped commit: while one journaled write is under way the next gathers, and each caller learns
 * the outcome of its own writes (design: Committing 5). A single caller pays nothing for it.
 *
 * 1. A commit resolves only when every write of it is journaled or refused.
 * 2. Nothing is ever retried here: a lost answer rejects, and the caller reads the truth again.
 * 3. The inserts of each collection travel in a lane of their own: what callers wait for (a
 *    message's entry) does not queue behind what nobody waits for (receipts, snapshots).
 */

import type { Write, WriteOutcome } from '../../shared/ports.ts';
import type { MongoConnection } from './client.ts';
import { withinDeadline } from './deadline.ts';
import { changeGroup, insertGroup } from './group-writes.ts';

const GROUP_MAX_WRITES = 500;

export type WriteGroup = (
  connection: MongoConnection,
  writes: readonly Write[],
) => Promise<readonly WriteOutcome[]>;

interface Waiting {
  readonly writes: readonly Write[];
  readonly resolve: (outcomes: readonly WriteOutcome[]) => void;
  readonly reject: (error: Error) => void;
}

/** One group in flight at a time: small groups at once cost the engine more than a large one. */
class Lane {
  readonly #connection: MongoConnection;
  readonly #writeGroup: WriteGroup;
  readonly #onGroup: (writes: number, ms: number) => void;
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(
    connection: MongoConnection,
    writeGroup: WriteGroup,
    onGroup: (writes: number, ms: number) => void,
  ) {
    this.#connection = connection;
    this.#writeGroup = writeGroup;
    this.#onGroup = onGroup;
  }

  commit(writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
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
    while (this.#waiting.length > 0) await this.#write(this.#takeGroup());
    this.#writing = false;
  }

  #takeGroup(): Waiting[] {
    let writes = 0;
    let taken = 0;
    for (const waiting of this.#waiting) {
      if (taken > 0 && writes + waiting.writes.length > GROUP_MAX_WRITES) break;
      writes += waiting.writes.length;
      taken++;
    }
    return this.#waiting.splice(0, taken);
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const started = performance.now();
    const writes = group.flatMap((waiting) => waiting.writes);
    try {
      const outcomes = await withinDeadline(
        this.#writeGroup(this.#connection, writes),
        'a grouped commit',
      );
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

export class GroupCommit {
  readonly #connection: MongoConnection;
  readonly #onGroup: (writes: number, ms: number) => void;
  readonly #lanes = new Map<string, Lane>();

  constructor(connection: MongoConnection, onGroup: (writes: number, ms: number) => void) {
    this.#connection = connection;
    this.#onGroup = onGroup;
  }

  commit(writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
    const [first] = writes;
    if (!first) return Promise.resolve([]);
    const name = laneOf(first);
    if (writes.every((write) => laneOf(write) === name)) return this.#lane(name).commit(writes);
    return this.#commitApart(writes);
  }

  async #commitApart(writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
    const outcomes = new Array<WriteOutcome>(writes.length);
    const indexes = Map.groupBy(writes.keys(), (index) => laneOf(writes[index]));
    await Promise.all(
      [...indexes].map(async ([name, mine]) => {
        const those = mine.flatMap((index) => writes[index] ?? []);
        const judged = await this.#lane(name).commit(those);
        mine.forEach((index, at) => {
          outcomes[index] = judged[at] ?? { ok: false, error: new Error('no outcome') };
        });
      }),
    );
    return outcomes;
  }

  #lane(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (!lane) {
      const writeGroup = name === CHANGES ? changeGroup : insertGroup;
      lane = new Lane(this.#connection, writeGroup, this.#onGroup);
      this.#lanes.set(name, lane);
    }
    return lane;
  }
}

const CHANGES = 'changes';

function laneOf(write: Write | undefined): string {
  return write && 'insert' in write ? write.insert : CHANGES;
}
