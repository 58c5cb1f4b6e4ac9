/** Deals as the runtime sees them. */
import {
  publishOne,
  type RecordParts,
  unpublishedPublisher,
} from '../outbox/versioned-document.ts';
import type { Kind } from '../runtime/actor.ts';
import { DEALS, DealActor } from './actor.ts';

export function dealKind(parts: RecordParts): Kind {
  const publishUnpublished = unpublishedPublisher(parts, DEALS.collection);
  return {
    kind: 'deal',
    open: (key) => new DealActor(key, parts),
    acquire: publishUnpublished,
    recoverLate: publishUnpublished,
    recover: (key) => publishOne(parts, DEALS.collection, key),
  };
}
