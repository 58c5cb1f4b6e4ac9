/**
 * Members that read owners on record at one moment and act on them at a later one, as the runtime's
 * do: claims first, by compare-and-set, then releases of what is assigned to others.
 */
import { capOf, placePartitions } from '../../../../actors/runtime/placement.ts';
import type { Member, PartitionRow } from '../../../../shared/ports/registry.ts';
import { ACTOR_KINDS, CO_LOCATED_WITH } from '../../../../shared/vocabulary.ts';

/** What a member does next. */
type Plan =
  | { readonly next: 'claim'; readonly members: readonly Member[]; readonly rows: Rows }
  | { readonly next: 'release'; readonly names: readonly string[] };
type Rows = readonly PartitionRow[];

const LEADS = ACTOR_KINDS.filter((kind) => !CO_LOCATED_WITH[kind]);
const ROUNDS_MAX = 40;
/** A member that is between two of its steps gets through all of them. */
const ACTS_A_ROUND = 6;

export class Readers {
  readonly #rows: Map<string, PartitionRow>;
  readonly #plans = new Map<string, Plan>();
  /** How often each partition of a lead was claimed since the members last changed. */
  readonly #claims = new Map<string, number>();
  readonly beyondCap: string[] = [];
  members: readonly Member[] = [];

  constructor(rows: Rows) {
    this.#rows = new Map(rows.map((row) => [row.name, row]));
  }

  rows(): Rows {
    return [...this.#rows.values()];
  }

  /** The most claims of one partition, of a kind without a lead, while the members stayed. */
  get handOversAtRest(): number {
    return Math.max(0, ...this.#claims.values());
  }

  /** Forgets plans on other members: from here on all see the same. */
  bury(): void {
    this.#plans.clear();
    this.#claims.clear();
  }

  /** One member reads, or claims, or releases. */
  step(id: string): void {
    if (!this.members.some((member) => member.id === id)) return;
    const plan = this.#plans.get(id);
    if (!plan) {
      this.#plans.set(id, { next: 'claim', members: this.members, rows: this.rows() });
      return;
    }
    this.#plans.delete(id);
    if (plan.next === 'release') this.#release(id, plan.names);
    else this.#claim(id, plan.members, plan.rows);
  }

  /** Lets all act in turns until nothing changes any more. */
  settle(): void {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = JSON.stringify(this.rows());
      for (let act = 0; act < ACTS_A_ROUND; act++) {
        for (const { id } of this.members) this.step(id);
      }
      if (JSON.stringify(this.rows()) === before) return;
    }
    throw new Error(`owners still change after ${ROUNDS_MAX} rounds`);
  }

  #claim(id: string, members: readonly Member[], rows: Rows): void {
    const owners = placePartitions(members, rows);
    const living = new Set(members.map((member) => member.id));
    const isStaying = members.some((member) => member.id === id && !member.leaving);
    for (const row of isStaying ? rows : []) {
      const isFree = row.owner === null || !living.has(row.owner);
      const now = this.#rows.get(row.name);
      if (!isFree || owners.get(row.name) !== id || now?.epoch !== row.epoch) continue;
      if (now.owner !== row.owner) continue;
      this.#rows.set(row.name, { ...row, owner: id, epoch: row.epoch + 1 });
      if (!LEADS.some((kind) => row.name.startsWith(`${kind}.`))) continue;
      this.#claims.set(row.name, (this.#claims.get(row.name) ?? 0) + 1);
      this.#checkCap(id, members, row.name);
    }
    const names = this.rows().flatMap(({ name, owner }) => {
      const assigned = owners.get(name) ?? null;
      return owner === id && assigned !== null && assigned !== id ? [name] : [];
    });
    this.#plans.set(id, { next: 'release', names });
  }

  #release(id: string, names: readonly string[]): void {
    for (const name of names) {
      const row = this.#rows.get(name);
      if (row?.owner === id) this.#rows.set(name, { ...row, owner: null });
    }
  }

  #checkCap(id: string, members: readonly Member[], name: string): void {
    const kind = LEADS.find((each) => name.startsWith(`${each}.`));
    const run = members.filter((each) => !each.leaving && kind && each.kinds.includes(kind));
    const weight = run.find((member) => member.id === id)?.weight ?? 0;
    const sum = run.reduce((all, each) => all + each.weight, 0);
    const held = this.rows().filter(
      (row) => row.owner === id && row.name.startsWith(`${kind}.`),
    ).length;
    if (held > capOf(weight, sum)) this.beyondCap.push(`${id} ${name}`);
  }
}
