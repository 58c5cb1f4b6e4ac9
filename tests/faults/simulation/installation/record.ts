/**
 * The record of members and partitions as a replica set keeps it: the simulation's registry behind
 * a server with so many cores, which every call occupies for what it costs.
 *
 * 1. As in `infra/adapters/mongo/registry.ts` a lease ends when a reader saw it unrenewed, and the
 *    reader marks it; the partitions of a shelf change by one compare-and-set.
 * 2. The server's costs are constants, the way to it is by chance. No call is lost.
 */
import { LeaseExpiryDetector } from '../../../../infra/adapters/mongo/lease-expiry-detector.ts';
import { shelfId } from '../../../../infra/adapters/mongo/shelf.ts';
import { SHELVES } from '../../../../shared/limits.ts';
import type {
  HeldPartition,
  Member,
  PartitionRow,
  Registry,
} from '../../../../shared/ports/registry.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';
import { EVERY_PARTITION, partitionName } from '../../../../shared/wire/subjects.ts';
import { createSimulatedRegistry } from '../memory/registry.ts';
import type { Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { SeededRandom } from '../world/seeded-random.ts';
import type { Traffic } from './traffic.ts';

/** Milliseconds of one core of MongoDB. */
const FIND_MS = 0.1;
const DOCUMENT_MS = 0.002;
const WRITE_MS = 0.15;
/** Of the registry's calls. */
const DEADLINE_MS = 2_000;
const SHELF_DOCUMENTS = ACTOR_KINDS.length * SHELVES;
const BEFORE = 'an earlier run';

export interface RecordParts {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly traffic: Traffic;
  readonly cores: number;
}

/** What a call costs the server. */
interface Cost {
  readonly documents?: number;
  readonly writes?: number;
}

export class SharedRecord {
  readonly #parts: RecordParts;
  /** No server's clock ends a lease. */
  readonly #registry = createSimulatedRegistry(() => 0);
  readonly #coreFreeAt: number[];
  /** Of all members that are not dead: how often each has renewed. */
  readonly #leases = new Map<string, number>();
  #members: readonly Member[] | null = null;
  readonly #revisions = new Map<string, number>();

  constructor(parts: RecordParts) {
    this.#parts = parts;
    this.#coreFreeAt = Array.from({ length: parts.cores }, () => 0);
    const names = ACTOR_KINDS.flatMap((kind) =>
      EVERY_PARTITION.map((number) => partitionName({ kind, number })),
    );
    this.#registry.claim(
      names.map((name) => ({ name, owner: null, epoch: 0 })),
      BEFORE,
    );
    this.#registry.release(
      names.map((name) => ({ name, epoch: 1 })),
      BEFORE,
    );
  }

  /** The same lists while nothing changes. */
  rows(): readonly PartitionRow[] {
    return this.#registry.partitions();
  }

  members(): readonly Member[] {
    this.#members ??= this.#registry.liveMembers();
    return this.#members;
  }

  registryOf(machine: Machine): Registry {
    const detector = new LeaseExpiryDetector(() => machine.clock.monotonic());
    const known = new Map<string, number>();
    const write = <T>(run: () => T) => this.#call(machine, { writes: 1 }, run);
    const readMembers = async () => {
      const seen = detector.begin();
      const [list, leases] = await this.#read(machine, this.#leases.size, () => {
        return [this.members(), [...this.#leases]] as const;
      });
      const unrenewed = seen(leases);
      return { list, ended: leases.filter(([id]) => unrenewed.has(id)) };
    };
    return {
      join: (member) => write(() => this.join(member)),
      renew: (id) => write(() => this.#renew(id)),
      startLeaving: (id) => write(() => this.#change(() => this.#registry.startLeaving(id))),
      leave: (id) => write(() => this.#end(id)),
      liveMembers: async () => {
        const { list, ended } = await readMembers();
        if (ended.length === 0) return list;
        await write(() => {
          for (const [id, renewals] of ended) if (this.#leases.get(id) === renewals) this.#end(id);
        });
        return (await readMembers()).list;
      },
      partitions: () => {
        this.#parts.traffic.count('ownership reads');
        return this.#read(machine, SHELF_DOCUMENTS, () => {
          for (const [id, revision] of this.#revisions) known.set(id, revision);
          return this.rows();
        });
      },
      claim: (rows, id) =>
        this.#compareAndSet(machine, known, rows, (those) => this.#registry.claim(those, id)),
      release: async (held, id) => {
        await this.#compareAndSet(machine, known, held, (those) => {
          this.#registry.release(those, id);
          return [];
        });
      },
    };
  }

  join(member: Member): void {
    if (this.#leases.has(member.id)) return;
    this.#change(() => this.#registry.join({ ...member, pid: 1 }));
    this.#leases.set(member.id, 0);
  }

  #renew(id: string): boolean {
    const renewals = this.#leases.get(id);
    if (renewals === undefined) return false;
    this.#leases.set(id, renewals + 1);
    return true;
  }

  #end(id: string): void {
    this.#change(() => this.#registry.leave(id));
    this.#leases.delete(id);
  }

  #change(run: () => void): void {
    this.#members = null;
    run();
  }

  /** Changes partitions shelf by shelf, those whose revision is as the process knows it. */
  async #compareAndSet<Part extends HeldPartition>(
    machine: Machine,
    known: Map<string, number>,
    parts: readonly Part[],
    change: (parts: readonly Part[]) => readonly PartitionRow[],
  ): Promise<readonly PartitionRow[]> {
    const { traffic } = this.#parts;
    let open = Map.groupBy(parts, ({ name }) => shelfId(name));
    const answered: PartitionRow[] = [];
    while (open.size > 0) {
      const shelves = open;
      traffic.count('compare-and-sets', shelves.size);
      open = await this.#call(machine, { writes: shelves.size }, () => {
        const stale = new Map<string, Part[]>();
        for (const [id, those] of shelves) {
          const revision = this.#revisions.get(id) ?? 0;
          if ((known.get(id) ?? 0) !== revision) {
            stale.set(id, those);
            continue;
          }
          answered.push(...change(those));
          this.#revisions.set(id, revision + 1);
          known.set(id, revision + 1);
        }
        return stale;
      });
      if (open.size === 0) break;
      traffic.count('conflicts', open.size);
      const ids = [...open.keys()];
      await this.#read(machine, ids.length, () => {
        for (const id of ids) known.set(id, this.#revisions.get(id) ?? 0);
      });
    }
    return answered;
  }

  #read<T>(machine: Machine, documents: number, run: () => T): Promise<T> {
    return this.#call(machine, { documents }, run);
  }

  /** Runs when the server has done it, and answers when that has come back. */
  #call<T>(machine: Machine, { documents = 0, writes = 0 }: Cost, run: () => T): Promise<T> {
    const { scheduler, random, traffic } = this.#parts;
    if (writes > 0) traffic.count('writes', writes);
    else traffic.count('finds');
    traffic.count('documents read', documents);
    const wayMs = 0.2 + random.around(0.3);
    const costMs = writes * WRITE_MS || FIND_MS + documents * DOCUMENT_MS;
    const doneIn = this.#occupy(scheduler.now + wayMs, costMs) - scheduler.now;
    return new Promise((resolve, reject) => {
      scheduler.after(doneIn, () => {
        const answer = run();
        scheduler.after(wayMs, () => machine.reach(() => resolve(answer)));
      });
      if (doneIn + wayMs < DEADLINE_MS) return;
      scheduler.after(DEADLINE_MS, () => machine.reach(() => reject(new Error('no answer'))));
    });
  }

  /** When the core that is free first has done it. */
  #occupy(from: number, costMs: number): number {
    const cores = this.#coreFreeAt;
    const first = cores.indexOf(Math.min(...cores));
    const done = Math.max(from, cores[first] ?? 0) + costMs;
    cores[first] = done;
    return done;
  }
}
