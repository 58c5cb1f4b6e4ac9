/** The operator's lists, in parts: deliveries (C12.10), and an organization's tags. */
import { TAGS_MAX_PER_ORGANIZATION } from '../../shared/limits.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { ListDeliveries } from '../../shared/wire/queries.ts';
import type { Filter } from '../model/collections.ts';
import type { DeliveryDocument } from '../model/subscription.ts';
import { tagCursor, tagPage } from '../organization/documents.ts';
import type { Query } from './lists/answer.ts';

/** Deliveries of one list, which ends there. */
const LISTED_MAX = 10_000;
/** Some hundred bytes each, some thousand where every attempt has an error. */
const DELIVERIES_PART_MAX = 200;
/** Some hundred bytes each. */
const TAGS_PART_MAX = 1_000;

/** Newest first: deliveries created meanwhile are newer than the rest of the list. */
export const listDeliveries: Query<'deliveries'> = async ({ store }, query) => {
  const { from, limit: wanted = LISTED_MAX } = query;
  const answered = from?.answered ?? 0;
  const remaining = Math.min(wanted, LISTED_MAX) - answered;
  const limit = Math.min(DELIVERIES_PART_MAX, remaining);
  const deliveries = await store.find('deliveries', deliveryFilter(query), {
    sort: { createdAt: -1, _id: -1 },
    limit,
    project: { body: 0 },
  });
  const body = partBody(deliveries.map(renderDelivery), from !== undefined);
  const last = deliveries.at(-1);
  if (!last || deliveries.length < limit || limit === remaining) return lastPart(body);
  const { createdAt } = last;
  const sameMoment = deliveries.filter((each) => each.createdAt === createdAt);
  const before = from?.createdAt === createdAt ? from.ids : [];
  const ids = [...before, ...sameMoment.map(({ _id }) => _id)];
  const payload = { ...query, from: { createdAt, ids, answered: answered + limit } };
  return { status: 200, body, rest: { resource: 'deliveries', payload } };
};

/** `recado tags list`: in their order without regard to case. */
export const listTags: Query<'tags'> = async ({ store }, query) => {
  const { orgId, from, limit: wanted = TAGS_MAX_PER_ORGANIZATION } = query;
  const answered = from?.answered ?? 0;
  const remaining = Math.min(wanted, TAGS_MAX_PER_ORGANIZATION) - answered;
  const limit = Math.min(TAGS_PART_MAX, remaining);
  const page = await tagPage(store, orgId, { after: from?.after ?? '', limit });
  const rows = page.map(({ _id: id, name: ref }) => ({ id, ref }));
  const body = partBody(rows, from !== undefined);
  const last = page.at(-1);
  if (!last || page.length < limit || limit === remaining) return lastPart(body);
  const next = { after: tagCursor(last), answered: answered + limit };
  return { status: 200, body, rest: { resource: 'tags', payload: { ...query, from: next } } };
};

function partBody(rows: readonly object[], begun: boolean): string {
  const data = rows.map((row) => JSON.stringify(row)).join(',');
  return `${begun ? '' : '{"data":['}${begun && data !== '' ? ',' : ''}${data}`;
}

function lastPart(body: string): Answer {
  return { status: 200, body: `${body}]}` };
}

export function deliveryFilter({
  orgId,
  subscription,
  status,
  since,
  until,
  from,
}: ListDeliveries): Filter<'deliveries'> {
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

export const findDelivery: Query<'delivery'> = async ({ store }, { id }) => {
  const delivery = await store.findOne('deliveries', { _id: id });
  if (!delivery) return { status: 404, body: '{"error":"There is no such delivery."}' };
  return answerOf({ ...renderDelivery(delivery), body: delivery.body });
};

export function renderDelivery(delivery: Omit<DeliveryDocument, 'body'>): Record<string, unknown> {
  const { nextAttemptAt, status, attempts } = delivery.state;
  const { _id: id, event, orgId, subscriptionId } = delivery;
  return {
    ...{ id, event, orgId, subscriptionId, status },
    attempts: attempts.map((attempt) => ({ ...attempt, at: timestamp(attempt.at) })),
    nextAttemptAt: nextAttemptAt === null || status !== 'pending' ? null : timestamp(nextAttemptAt),
    createdAt: timestamp(delivery.createdAt),
  };
}
