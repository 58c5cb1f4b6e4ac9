/**
 * A shelf of partitions as one document: runs of neighbours with one owner and epoch, so that a
 * thousand partitions a kind cost no more reads than 64. Every change raises `rev`, by which two
 * changes of different partitions do not overwrite each other. Pure.
 */
import type { HeldPartition, PartitionRow } from '../../../shared/ports/registry.ts';
import { PARTITIONS_PER_SHELF, parsePartition, shelfOf } from '../../../shared/wire/subjects.ts';

interface Run {
  readonly count: number;
  readonly owner: string | null;
  readonly epoch: number;
}

/**
 * One of before there were shelves has `owner` and `epoch`: those of each partition of the shelf.
 * With runs `epoch` is null, for claims of that release fail at it.
 */
export interface ShelfDocument {
  readonly _id: string;
  readonly runs?: readonly Run[];
  readonly rev?: number;
  readonly owner?: string | null;
  readonly epoch?: number | null;
}

/** The document's id of a partition's shelf: the kind and the shelf. */
export function shelfId(name: string): string {
  const partition = parsePartition(name);
  if (!partition) throw new TypeError(`there is no partition ${name}`);
  return `${partition.kind}.${shelfOf(partition.number)}`;
}

/** The partitions of a shelf in order; those of a shelf that nobody has written are free. */
export function rowsOf(id: string, document: ShelfDocument | undefined): readonly PartitionRow[] {
  const [kind, shelf] = id.split('.');
  const { runs, owner = null, epoch } = document ?? {};
  const whole = { count: PARTITIONS_PER_SHELF, owner, epoch: epoch ?? 0 };
  const each = (runs ?? [whole]).flatMap(({ count, owner, epoch }) =>
    Array.from({ length: count }, () => ({ owner, epoch })),
  );
  const first = Number(shelf) * PARTITIONS_PER_SHELF;
  return each.map(({ owner, epoch }, at) => ({ name: `${kind}.${first + at}`, owner, epoch }));
}

/** Another owner of a partition, where `from` is still what it is. */
export interface OwnerChange {
  readonly from: PartitionRow;
  readonly to: Omit<HeldPartition, 'name'> & { readonly owner: string | null };
}

export function isOpen({ from }: OwnerChange, row: PartitionRow | undefined): boolean {
  return row?.owner === from.owner && row.epoch === from.epoch;
}

/** The shelf with the changes that still apply. */
export function changedShelf(
  id: string,
  document: ShelfDocument | undefined,
  changes: readonly OwnerChange[],
): Required<Pick<ShelfDocument, '_id' | 'runs' | 'rev'>> {
  const byName = new Map(changes.map((change) => [change.from.name, change]));
  const runs: { count: number; owner: string | null; epoch: number }[] = [];
  for (const row of rowsOf(id, document)) {
    const change = byName.get(row.name);
    const { owner, epoch } = change && isOpen(change, row) ? change.to : row;
    const last = runs.at(-1);
    if (last?.owner === owner && last.epoch === epoch) last.count++;
    else runs.push({ count: 1, owner, epoch });
  }
  return { _id: id, runs, rev: (document?.rev ?? 0) + 1 };
}
