/** Who should hold a partition: rendezvous hashing moves as few as possible when members change. */
import type { Member } from '../../shared/ports.ts';
import { parsePartition } from '../../shared/subjects.ts';

function weigh(member: string, partition: string): number {
  let hash = 0x811c9dc5;
  const text = `${partition}@${member}`;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // FNV's last characters hardly reach the high bits: mix them (MurmurHash3's finalizer).
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The live member which should own the partition; null when none that stays runs its kind. */
export function rightfulOwner(partition: string, members: readonly Member[]): string | null {
  const kind = parsePartition(partition)?.kind;
  let best: string | null = null;
  let bestWeight = -1;
  for (const member of members) {
    if (!kind || member.leaving || !member.kinds.includes(kind)) continue;
    const weight = weigh(member.id, partition);
    if (weight > bestWeight || (weight === bestWeight && best !== null && member.id < best)) {
      best = member.id;
      bestWeight = weight;
    }
  }
  return best;
}
