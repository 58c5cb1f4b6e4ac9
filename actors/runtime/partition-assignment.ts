/** Partition assignment by rendezvous hashing: a change of members moves as few as possible. */
import type { Member } from '../../shared/ports/registry.ts';
import { fnv1a } from '../../shared/text/fnv1a.ts';
import { CO_LOCATED_WITH } from '../../shared/vocabulary.ts';
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
