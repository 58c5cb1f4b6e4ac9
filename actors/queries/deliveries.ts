/** The operator's look at deliveries (fixed interfaces: `deliveries list`, `deliveries show`). */
import { timestamp } from '../../shared/outbox.ts';
import type { DeliveryStatus } from '../../shared/vocabulary.ts';
import type { DeliveryDocument } from '../subscription/documents.ts';
import { found, type Query } from './answer.ts';

interface ListDeliveries {
  readonly orgId: string;
  /** Its id. */
  readonly subscription?: string;
  readonly status?: DeliveryStatus;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
}

const LISTED_MAX = 10_000;

export const listDeliveries: Query<ListDeliveries> = async ({ store }, query) => {
  const { orgId, subscription, status, since, until } = query;
  const created = {
    ...(since === undefined ? {} : { $gte: since }),
    ...(until === undefined ? {} : { $lte: until }),
  };
  const deliveries = await store.find<DeliveryDocument>(
    'deliveries',
    {
      orgId,
      ...(subscription === undefined ? {} : { subscriptionId: subscription }),
      ...(status === undefined ? {} : { 'state.status': status }),
      ...(Object.keys(created).length === 0 ? {} : { createdAt: created }),
    },
    { sort: { createdAt: -1, _id: -1 }, limit: LISTED_MAX, project: { body: 0 } },
  );
  return found({ data: deliveries.map(renderDelivery) });
};

export const findDelivery: Query<{ readonly id: string }> = async ({ store }, { id }) => {
  const delivery = await store.findOne<DeliveryDocument>('deliveries', { _id: id });
  if (!delivery) return { status: 404, body: '{"error":"There is no such delivery."}' };
  return found({ ...renderDelivery(delivery), body: delivery.body });
};

function renderDelivery(delivery: DeliveryDocument): Record<string, unknown> {
  const { nextAttemptAt, status, attempts } = delivery.state;
  return {
    id: delivery._id,
    event: delivery.event,
    orgId: delivery.orgId,
    subscriptionId: delivery.subscriptionId,
    status,
    attempts: attempts.map((attempt) => ({ ...attempt, at: timestamp(attempt.at) })),
    nextAttemptAt: nextAttemptAt === null || status !== 'pending' ? null : timestamp(nextAttemptAt),
    createdAt: timestamp(delivery.createdAt),
  };
}
