/**
 * The registry of the simulation and the real one, asked the same. Time goes by on both: the one
 * has a clock that is set, of the other the ends of all leases are moved back.
 */
import assert from 'node:assert/strict';
import type { Db } from 'mongodb';
import { createRegistry, markProcessDead } from '../../../../../infra/adapters/mongo/registry.ts';
import type { PartitionRow, Registry } from '../../../../../shared/ports/registry.ts';
import { createSimulatedRegistry, type SyncRegistry } from '../registry.ts';

export type RegistryStep =
  | { readonly step: 'join' | 'renew' | 'startLeaving' | 'leave' | 'markDead'; readonly id: string }
  | { readonly step: 'claim'; readonly id: string; readonly stale: boolean }
  | {
      readonly step: 'release';
      readonly id: string;
      readonly names: readonly string[];
      readonly stale: boolean;
    }
  | { readonly step: 'look' }
  | { readonly step: 'wait'; readonly ms: number };

/** Those that were claimed once: a shelf has its other partitions too. */
function byName(rows: readonly PartitionRow[]): readonly PartitionRow[] {
  return rows
    .filter(({ owner, epoch }) => owner !== null || epoch > 0)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function byId<T extends { readonly id: string }>(members: readonly T[]): readonly T[] {
  return members.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

export class RegistryPair {
  readonly #db: Db;
  readonly #real: Registry;
  readonly #simulated: SyncRegistry;
  readonly #names: readonly string[];
  /** As they were read last: a claim of what has changed since is refused. */
  #rows: readonly PartitionRow[];
  #now = 0;

  constructor(db: Db, names: readonly string[]) {
    this.#db = db;
    this.#real = createRegistry({ db, standalone: true });
    this.#simulated = createSimulatedRegistry(() => this.#now);
    this.#names = names;
    this.#rows = names.map((name) => ({ name, owner: null, epoch: 0 }));
  }

  async apply(step: RegistryStep): Promise<void> {
    const what = JSON.stringify(step);
    switch (step.step) {
      case 'join': {
        const weight = step.id.length;
        const member = { id: step.id, kinds: ['deal', 'task'] as const, weight, pid: 1 };
        await this.#real.join(member);
        return this.#simulated.join(member);
      }
      case 'renew':
        return assert.equal(this.#simulated.renew(step.id), await this.#real.renew(step.id), what);
      case 'markDead':
        await markProcessDead(this.#db, step.id);
        return this.#simulated.markDead(step.id);
      case 'startLeaving':
      case 'leave':
        await this.#real[step.step](step.id);
        return this.#simulated[step.step](step.id);
      case 'claim': {
        const rows = step.stale ? this.#rows : await this.#read();
        const real = await this.#real.claim(rows, step.id);
        return assert.deepEqual(byName(this.#simulated.claim(rows, step.id)), byName(real), what);
      }
      case 'release': {
        const rows = step.stale ? this.#rows : await this.#read();
        const held = rows.filter(({ name }) => step.names.includes(name));
        await this.#real.release(held, step.id);
        return this.#simulated.release(held, step.id);
      }
      case 'look':
        await this.#read();
        return;
      case 'wait':
        return this.#wait(step.ms);
      default:
        return step satisfies never;
    }
  }

  /** Members and partitions, alike on both sides. */
  async #read(): Promise<readonly PartitionRow[]> {
    const members = byId(await this.#real.liveMembers());
    assert.deepEqual(byId(this.#simulated.liveMembers()), members, 'members');
    const rows = byName(await this.#real.partitions());
    assert.deepEqual(byName(this.#simulated.partitions()), rows, 'partitions');
    const known = new Map(rows.map((row) => [row.name, row]));
    this.#rows = this.#names.map((name) => known.get(name) ?? { name, owner: null, epoch: 0 });
    return this.#rows;
  }

  async #wait(ms: number): Promise<void> {
    this.#now += ms;
    const earlier = { $subtract: ['$expiresAt', ms] };
    await this.#db.collection('members').updateMany({}, [{ $set: { expiresAt: earlier } }]);
  }
}
