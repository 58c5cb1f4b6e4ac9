/**
 * The partitions of every kind in service, the order of their release, and their owners.
 * Rendezvous hashing assigns them: a change of members moves as few as possible.
 */
import { PARTITIONS } from '../../shared/limits.ts';
import type { Member, PartitionRow } from '../../shared/ports/registry.ts';
import { fnv1a } from '../../shared/text/fnv1a.ts';
import { type ActorKind, CO_LOCATED_WITH } from '../../shared/vocabulary.ts';
import { parsePartition, partitionName } from '../../shared/wire/subjects.ts';

function weightOf(group: string, member: string): number {
  let hash = fnv1a(`${group}@${member}`);
  // FNV's last characters hardly reach the high bits: mix them (MurmurHash3's finalizer).
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The live member that should own the partition; null when none that stays runs its kind. */
export function assignedOwner(partition: string, members: readonly Member[]): string | null {
  const named = parsePartition(partition);
  if (!named) return null;
  const { kind, number } = named;
  const group = partitionName({ kind: CO_LOCATED_WITH[kind] ?? kind, number });
  let best: string | null = null;
  let bestWeight = -1;
  for (const member of members) {
    if (member.leaving || !member.kinds.includes(kind)) continue;
    const weight = weightOf(group, member.id);
    if (weight > bestWeight || (weight === bestWeight && best !== null && member.id < best)) {
      best = member.id;
      bestWeight = weight;
    }
  }
  return best;
}

function isSame(one: Member, other: Member | undefined): boolean {
  return (
    one.id === other?.id &&
    one.leaving === other.leaving &&
    one.kinds.length === other.kinds.length &&
    one.kinds.every((kind, index) => kind === other.kinds[index])
  );
}

/**
 * Assigned owners for one list of members, each computed once: polls every second find the same
 * members nearly always.
 */
export class PartitionAssignment {
  readonly #members: readonly Member[];
  readonly #owners = new Map<string, string | null>();

  constructor(members: readonly Member[]) {
    this.#members = members;
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

  ownerOf(partition: string): string | null {
    const known = this.#owners.get(partition);
    if (known !== undefined) return known;
    const owner = assignedOwner(partition, this.#members);
    this.#owners.set(partition, owner);
    return owner;
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
  Array.from({ length: PARTITIONS }, (_, number) => partitionName({ kind, number })),
);
const KNOWN_NAMES: ReadonlySet<string> = new Set(NAMES);

/** Rows that no process has written yet are free, at epoch 0. */
export function completeRows(rows: readonly PartitionRow[]): readonly PartitionRow[] {
  if (rows.length === NAMES.length && rows.every(({ name }) => KNOWN_NAMES.has(name))) return rows;
  const known = new Map(rows.map((row) => [row.name, row]));
  return NAMES.map((name) => known.get(name) ?? { name, owner: null, epoch: 0 });
}
