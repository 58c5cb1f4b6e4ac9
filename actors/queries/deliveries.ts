/** Deliveries of one organization, for the panel: as the operator's lists show them, in pages. */
import { failure, renderFailure } from '../../shared/failures.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { type Query, skipOf } from './lists/answer.ts';
import { deliveryFilter, renderDelivery } from './operator-lists.ts';

/** Without a total: deliveries are counted nowhere. `more` says whether a page follows. */
export const pageDeliveries: Query<'deliveries-page'> = async ({ store }, query) => {
  const { page, limit, ...filters } = query;
  const found = await store.find('deliveries', deliveryFilter(filters), {
    sort: { createdAt: -1, _id: -1 },
    skip: skipOf(query),
    limit: limit + 1,
    project: { body: 0 },
  });
  const data = found.slice(0, limit).map(renderDelivery);
  return answerOf({ data, page, limit, more: found.length > limit });
};

/** With its body. */
export const findOwnDelivery: Query<'own-delivery'> = async ({ store }, { orgId, id }) => {
  const delivery = await store.findOne('deliveries', { _id: id });
  if (delivery?.orgId !== orgId) return renderFailure(failure('delivery_not_found'));
  return answerOf({ data: { ...renderDelivery(delivery), body: delivery.body } });
};

export const findDeliveryOwners: Query<'delivery-owners'> = async ({ store }, { orgId, ids }) => {
  const deliveries = await store.find(
    'deliveries',
    { _id: { $in: ids } },
    { project: { orgId: 1, subscriptionId: 1 } },
  );
  const own = deliveries.filter((delivery) => delivery.orgId === orgId);
  return answerOf({ found: own.map(({ _id: id, subscriptionId }) => ({ id, subscriptionId })) });
};
