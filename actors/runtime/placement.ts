/**
 * Placement: the member that should own each partition, from the members and the owners on record.
 * Pure, so that all who read the same decide the same; the store's compare-and-set settles the rest.
 *
 * 1. Of the P partitions of a kind a member has at most P·w/Σw, rounded up: its weight among those
 *    of the members that run the kind and stay.
 * 2. Owners keep what they hold up to their cap, lower numbers first. No other partition moves, so
 *    no placement within these caps moves fewer.
 * 3. Of what is left over each slot goes to the member with the smallest share for its weight. Of
 *    equals it goes to the one that has less of all kinds: else one member would have the odd
 *    partition of every kind. A member's slots are neighbours: shelves stay whole (D351).
 * 4. A co-located partition follows its lead's to the same member, if that runs both kinds. That may
 *    exceed the cap of its own kind, but never that of the lead. The others are placed as above.
 * 5. Nothing moves once a placement is carried out, and each claim leads nearer to it: caps depend
 *    on the members alone, and their sum suffices for all.
 */
import { PARTITIONS } from '../../shared/limits.ts';
import type { Member, PartitionRow } from '../../shared/ports/registry.ts';
import { ACTOR_KINDS, type ActorKind, CO_LOCATED_WITH } from '../../shared/vocabulary.ts';
import { EVERY_PARTITION, partitionName } from '../../shared/wire/subjects.ts';

/** By partition; null where no member runs the kind and stays. */
export type Owners = ReadonlyMap<string, string | null>;

/** A member's part of one kind. */
interface Share {
  readonly id: string;
  readonly weight: number;
  readonly cap: number;
  /** Of all kinds placed before, for its weight. */
  readonly load: number;
  count: number;
}

/** Capacity for one partition. */
interface Slot {
  readonly share: Share;
  /** The share for its weight with half of this partition: lower ones are filled first. */
  readonly level: number;
}

const LEADS_FIRST: readonly ActorKind[] = [
  ...ACTOR_KINDS.filter((kind) => !CO_LOCATED_WITH[kind]),
  ...ACTOR_KINDS.filter((kind) => CO_LOCATED_WITH[kind]),
];

/** The largest number of partitions of a kind for a member with so much of the weight of all. */
export function capOf(weight: number, weightOfAll: number): number {
  return Math.ceil((PARTITIONS * weight) / weightOfAll);
}

/** @param rows in any order; a partition without a row is free */
export function placePartitions(members: readonly Member[], rows: readonly PartitionRow[]): Owners {
  const onRecord = new Map(rows.map(({ name, owner }) => [name, owner]));
  const remaining = members
    .filter(({ leaving }) => !leaving)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const loads = new Map<string, number>();
  const placed = new Map<string, string | null>();
  for (const kind of LEADS_FIRST) {
    const shares = sharesOf(kind, remaining, loads);
    const separate = follow(kind, shares, placed);
    const open = keep(separate, shares, { onRecord, placed });
    fill(open, shares, placed);
    for (const { id, weight, load, count } of shares.values()) loads.set(id, load + count / weight);
  }
  return placed;
}

function sharesOf(
  kind: ActorKind,
  remaining: readonly Member[],
  loads: ReadonlyMap<string, number>,
): ReadonlyMap<string, Share> {
  const able = remaining.filter(({ kinds }) => kinds.includes(kind));
  const weightOfAll = able.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(
    able.map(({ id, weight }) => {
      const cap = capOf(weight, weightOfAll);
      return [id, { id, weight, cap, load: loads.get(id) ?? 0, count: 0 }];
    }),
  );
}

/** Places the partitions whose lead's owner runs this kind too; answers the others. */
function follow(
  kind: ActorKind,
  shares: ReadonlyMap<string, Share>,
  placed: Map<string, string | null>,
): readonly string[] {
  const lead = CO_LOCATED_WITH[kind];
  return EVERY_PARTITION.flatMap((number) => {
    const name = partitionName({ kind, number });
    const owner = lead && placed.get(partitionName({ kind: lead, number }));
    const share = shares.get(owner ?? '');
    if (!share) return [name];
    share.count++;
    placed.set(name, share.id);
    return [];
  });
}

/** Leaves partitions with their owners up to the caps; answers those that need another. */
function keep(
  names: readonly string[],
  shares: ReadonlyMap<string, Share>,
  { onRecord, placed }: { readonly onRecord: Owners; readonly placed: Map<string, string | null> },
): readonly string[] {
  return names.filter((name) => {
    const share = shares.get(onRecord.get(name) ?? '');
    if (!share || share.count >= share.cap) return true;
    share.count++;
    placed.set(name, share.id);
    return false;
  });
}

function fill(
  names: readonly string[],
  shares: ReadonlyMap<string, Share>,
  placed: Map<string, string | null>,
): void {
  const slots = [...shares.values()].flatMap(freeSlotsOf).toSorted(byLevel).slice(0, names.length);
  const byMember = Map.groupBy(slots, ({ share }) => share.id);
  const neighbours = [...byMember.keys()].toSorted().flatMap((id) => byMember.get(id) ?? []);
  names.forEach((name, index) => {
    const share = neighbours[index]?.share;
    if (share) share.count++;
    placed.set(name, share?.id ?? null);
  });
}

function freeSlotsOf(share: Share): readonly Slot[] {
  const { count, cap, weight } = share;
  return EVERY_PARTITION.slice(count, cap).map((number) => ({
    share,
    level: (number + 0.5) / weight,
  }));
}

/** The order of ids decides last: sorting is stable, and the members are sorted. */
function byLevel(one: Slot, other: Slot): number {
  return one.level - other.level || one.share.load - other.share.load;
}
