/** Documents of some partitions in the store: they name the shelf first, then the partition. */
import type { PlainFilter } from '../../shared/ports/store.ts';
import { PARTITIONS_PER_SHELF, shelfOf } from '../../shared/wire/subjects.ts';

/** The shelves of partitions, each once. */
export function shelvesOf(partitions: readonly number[]): readonly number[] {
  return [...new Set(partitions.map(shelfOf))];
}

type OnShelves<At extends string> = {
  readonly [_ in `${At}partition`]: { readonly $in: readonly number[] };
} & { readonly [_ in `${At}place`]?: { readonly $in: readonly (number | null)[] } };

/**
 * Filter of an agenda. The server reads the shelves by their times: at most 64 of them, however
 * many partitions a process has. Where another process has a part of a shelf, it skips that
 * one's keys. Documents without a place may be another's: who reads them has to look.
 * @param at where the document names its partition, such as `send.`
 */
export function onShelves<At extends string = ''>(
  partitions: readonly number[],
  at?: At,
): OnShelves<At>;
export function onShelves(partitions: readonly number[], at = ''): PlainFilter {
  const shelves = shelvesOf(partitions);
  const isWhole = partitions.length === shelves.length * PARTITIONS_PER_SHELF;
  return {
    [`${at}partition`]: { $in: shelves },
    ...(isWhole ? {} : { [`${at}place`]: { $in: [null, ...partitions] } }),
  };
}
