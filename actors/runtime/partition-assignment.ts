/** The partitions of every kind in service, the order of their release, and their placement. */
import type { Member, PartitionRow } from '../../shared/ports/registry.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { EVERY_PARTITION, partitionName } from '../../shared/wire/subjects.ts';
import { type Owners, placePartitions } from './placement.ts';

function isSame(one: Member, other: Member | undefined): boolean {
  return (
    one.id === other?.id &&
    one.leaving === other.leaving &&
    one.weight === other.weight &&
    one.kinds.length === other.kinds.length &&
    one.kinds.every((kind, index) => kind === other.kinds[index])
  );
}

function hasSameOwner(one: PartitionRow, other: PartitionRow | undefined): boolean {
  return one.name === other?.name && one.owner === other.owner;
}

/**
 * Assigned owners for one list of members and the owners on record, computed once: polls find the
 * same nearly always.
 */
export class PartitionAssignment {
  readonly #members: readonly Member[];
  readonly #rows: readonly PartitionRow[];
  readonly #owners: Owners;

  constructor(members: readonly Member[], rows: readonly PartitionRow[]) {
    this.#members = members;
    this.#rows = rows;
    this.#owners = placePartitions(members, rows);
  }

  get size(): number {
    return this.#members.length;
  }

  isFor(members: readonly Member[]): boolean {
    return (
      members.length === this.#members.length &&
      members.every((member, index) => isSame(member, this.#members[index]))
    );
  }

  isFrom(rows: readonly PartitionRow[]): boolean {
    if (rows === this.#rows) return true;
    return (
      rows.length === this.#rows.length &&
      rows.every((row, index) => hasSameOwner(row, this.#rows[index]))
    );
  }

  ownerOf(partition: string): string | null {
    return this.#owners.get(partition) ?? null;
  }
}

/** Every kind in service, in the order of release. */
export const RELEASE_ORDER: readonly (readonly ActorKind[])[] = [
  ['channel', 'subscription', 'task'],
  ['conversation', 'deal'],
  ['contact'],
  ['organization', 'person'],
];

const NAMES = RELEASE_ORDER.flat().flatMap((kind) =>
  EVERY_PARTITION.map((number) => partitionName({ kind, number })),
);
const KNOWN_NAMES: ReadonlySet<string> = new Set(NAMES);

/** Rows that no process has written yet are free, at epoch 0. */
export function completeRows(rows: readonly PartitionRow[]): readonly PartitionRow[] {
  if (rows.length === NAMES.length && rows.every(({ name }) => KNOWN_NAMES.has(name))) return rows;
  const known = new Map(rows.map((row) => [row.name, row]));
  return NAMES.map((name) => known.get(name) ?? { name, owner: null, epoch: 0 });
}
