/** Documents of some partitions in the store: they name the shelf first, then the partition. */
import type { PlainFilter } from '../../shared/ports/store.ts';
import type { Urgency } from '../../shared/vocabulary.ts';
import { PARTITIONS_PER_SHELF, shelfOf } from '../../shared/wire/subjects.ts';
import type { Filter, Order } from '../model/collections.ts';

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

/** The send agenda, each class by time. Of a short one the engine would take any other index too. */
export const SENDS_BY_URGENCY: Order<'entries'> = {
  ...{ 'send.partition': 1, 'send.urgency': 1, 'send.at': 1, seq: 1 },
  ...{ conversationId: 1, _id: 1, 'send.channelId': 1, 'send.place': 1 },
};

/** Messages of a class. A normal one says nothing of it. */
export function ofUrgency(urgency: Urgency): Filter<'entries'> {
  return { 'send.urgency': urgency === 'normal' ? { $exists: false } : urgency };
}
