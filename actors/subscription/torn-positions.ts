/**
 * Positions of a commit that was executed in part: its owner crashed, or the store refused some of
 * its writes. No connection was told of them, and a delivery without a position may precede one
 * that has it: a later event of an entity would be written before an earlier one.
 */
import type { Filter, Store } from '../../shared/ports/store.ts';
import type { DeliveryDocument } from './api.ts';
import { type Change, changed } from './documents.ts';

/**
 * What has a position although an earlier delivery has none, as it is without its position. One that
 * was recorded late may be the reason as well: the others are then written twice.
 * @param pending of the stream's own
 */
export async function tornPositions(
  store: Store,
  pending: (filter: Filter) => Filter,
  change: Change,
): Promise<readonly DeliveryDocument[]> {
  const [oldest] = await store.find<DeliveryDocument>(
    'deliveries',
    pending({ 'state.position': null }),
    { sort: { order: 1 }, limit: 1, project: { order: 1 } },
  );
  if (oldest?.order === undefined) return [];
  const behind = pending({ 'state.position': { $gt: 0 }, order: { $gt: oldest.order } });
  const found = await store.find<DeliveryDocument>('deliveries', behind);
  return found.map((delivery) => {
    const { position = 0, ...state } = changed(delivery, delivery.state, change).state;
    return { ...delivery, state: { ...state, before: state.before ?? position } };
  });
}
