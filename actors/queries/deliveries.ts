/** Deliveries, as the operator's commands list and show them (C12.10). */

import type { Filter } from '../../shared/ports/store.ts';
import type { DeliveryStatus } from '../../shared/vocabulary.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { DeliveryDocument } from '../subscription/documents.ts';
import { found, type Query } from './answer.ts';

interface ListDeliveries {
  readonly orgId: string;
  /** Id of the subscription. */
  readonly subscription?: string;
  readonly status?: DeliveryStatus;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  /** The most deliveries to list. */
  readonly limit?: number;
  /** End of the previous part, in a list that continues. */
  readonly from?: PartEnd;
}

interface PartEnd {
  readonly createdAt: number;
  /** Ids of this time that were answered. */
  readonly ids: readonly string[];
  readonly answered: number;
}

const LISTED_MAX = 10_000;
/** Some hundred bytes each, some thousand where every attempt has an error. */
const PART_MAX = 200;

/** Newest first, in parts: deliveries created meanwhile are newer than the rest of the list. */
export const listDeliveries: Query<ListDeliveries> = async ({ store }, query) => {
  const { from } = query;
  const answered = from?.answered ?? 0;
  const most = Math.min(query.limit ?? LISTED_MAX, LISTED_MAX);
  const limit = Math.min(PART_MAX, most - answered);
  const deliveries = await store.find<DeliveryDocument>('deliveries', filterOf(query), {
    sort: { createdAt: -1, _id: -1 },
    limit,
    project: { body: 0 },
  });
  const data = deliveries.map((each) => JSON.stringify(renderDelivery(each))).join(',');
  const body = `${from ? '' : '{"data":['}${from && data !== '' ? ',' : ''}${data}`;
  const last = deliveries.at(-1);
  const isEnd = !last || deliveries.length < limit || answered + limit === most;
  if (isEnd) return { status: 200, body: `${body}]}` };
  const sameMoment = deliveries.filter(({ createdAt }) => createdAt === last.createdAt);
  const before = from?.createdAt === last.createdAt ? from.ids : [];
  const end: PartEnd = {
    createdAt: last.createdAt,
    ids: [...before, ...sameMoment.map(({ _id }) => _id)],
    answered: answered + limit,
  };
  return { status: 200, body, rest: { resource: 'deliveries', payload: { ...query, from: end } } };
};

function filterOf({ orgId, subscription, status, since, until, from }: ListDeliveries): Filter {
  const upTo = from?.createdAt ?? until;
  const created = {
    ...(since === undefined ? {} : { $gte: since }),
    ...(upTo === undefined ? {} : { $lte: upTo }),
  };
  return {
    orgId,
    ...(subscription === undefined ? {} : { subscriptionId: subscription }),
    ...(status === undefined ? {} : { 'state.status': status }),
    ...(Object.keys(created).length === 0 ? {} : { createdAt: created }),
    ...(from === undefined ? {} : { _id: { $nin: from.ids } }),
  };
}

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
