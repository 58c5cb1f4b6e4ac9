/** The partitions of every kind in service, and the order of their release. */
import { PARTITIONS } from '../../shared/limits.ts';
import type { PartitionRow } from '../../shared/ports/registry.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { partitionName } from '../../shared/wire/subjects.ts';

/** Every kind in service, in the order of release. */
export const RELEASE_ORDER: readonly (readonly ActorKind[])[] = [
  ['channel', 'subscription', 'task'],
  ['conversation', 'deal'],
  ['contact'],
  ['organization'],
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
