/** Deals as the runtime sees them. */
import { handOnLeft, handOnOne, type RecordParts } from '../outbox/record.ts';
import type { Kind } from '../runtime/actor.ts';
import { DEALS, DealActor } from './actor.ts';

export function dealKind(parts: RecordParts): Kind {
  return {
    kind: 'deal',
    open: (key) => new DealActor(key, parts),
    take: (partition) => handOnLeft(parts, DEALS.collection, partition),
    completeLate: (partition) => handOnLeft(parts, DEALS.collection, partition),
    complete: (key) => handOnOne(parts, DEALS.collection, key),
  };
}
