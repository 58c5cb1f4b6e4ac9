/** Deals as the runtime sees them. */
import { handingOnLeft, handOnOne, type RecordParts } from '../outbox/record.ts';
import type { Kind } from '../runtime/actor.ts';
import { DEALS, DealActor } from './actor.ts';

export function dealKind(parts: RecordParts): Kind {
  const handOnLeft = handingOnLeft(parts, DEALS.collection);
  return {
    kind: 'deal',
    open: (key) => new DealActor(key, parts),
    take: handOnLeft,
    completeLate: handOnLeft,
    complete: (key) => handOnOne(parts, DEALS.collection, key),
  };
}
