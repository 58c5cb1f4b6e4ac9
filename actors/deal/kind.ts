/** Kind of deals: the runtime's hooks. */
import {
  type EntityParts,
  recoverOutbox,
  unpublishedPublisher,
} from '../outbox/versioned-document.ts';
import type { Kind } from '../runtime/actor.ts';
import { DEALS, DealActor } from './actor.ts';

export function dealKind(parts: EntityParts): Kind {
  const publishUnpublished = unpublishedPublisher(parts, DEALS.collection);
  return {
    kind: 'deal',
    open: (key) => new DealActor(key, parts),
    acquire: publishUnpublished,
    recoverLate: publishUnpublished,
    recover: (key) => recoverOutbox(parts, DEALS.collection, key),
  };
}
