/** Rows of deliveries: what was sent, what was answered, and once more by hand. */
import * as v from 'valibot';
import {
  anyIdText,
  choice,
  idText,
  listUpTo,
  pageEntries,
  requestObject,
} from '../../../shared/api/fields.ts';
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { failure, invalid } from '../../../shared/failures.ts';
import { DELIVERIES_SKIPPED_MAX, RETRIED_DELIVERIES_MAX } from '../../../shared/limits.ts';
import { DELIVERY_STATUSES } from '../../../shared/vocabulary.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import type { DeliveryOwners } from '../../../shared/wire/panel-queries.ts';
import { jsonReply, type Reply, refusalReply } from '../../http/respond.ts';
import { type ApiRoute, apiRoute, type Call } from '../../route.ts';
import { ANY_ANSWER as answers, ListSchema } from './any-answer.ts';
import { toOrganization } from './operator-commands.ts';

const TAG = 'Integrações';
const SubscriptionsSchema = v.object({
  ...ListSchema.entries,
  streams: ListSchema.entries.data,
});

/** ISO 8601 with its zone, as epoch milliseconds. */
const moment = v.pipe(
  v.string(SENTENCES.textExpected),
  v.isoTimestamp(SENTENCES.momentInvalid),
  v.transform((text) => Date.parse(text)),
);

const listDeliveries = apiRoute({
  method: 'GET',
  path: '/panel/api/deliveries',
  operationId: 'listDeliveries',
  summary: 'Lista as entregas, da mais nova à mais antiga.',
  tag: TAG,
  query: requestObject({
    subscriptionId: v.optional(idText),
    status: v.optional(choice(DELIVERY_STATUSES)),
    since: v.optional(moment),
    until: v.optional(moment),
    ...pageEntries,
  }),
  answers,
  plan({ caller, query }) {
    const { subscriptionId: subscription, status, since, until, page, limit } = query;
    if ((page - 1) * limit > DELIVERIES_SKIPPED_MAX) {
      return { to: 'caller', refusal: invalid({ path: 'page', message: SENTENCES.tooFarBack }) };
    }
    const payload = {
      ...{ orgId: caller.orgId, page, limit },
      ...(subscription === undefined ? {} : { subscription }),
      ...(status === undefined ? {} : { status }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    };
    return { to: 'query', resource: 'deliveries-page', payload };
  },
});

const getDelivery = apiRoute({
  method: 'GET',
  path: '/panel/api/deliveries/{id}',
  operationId: 'getDelivery',
  summary: 'Mostra uma entrega, com o seu corpo e as suas tentativas.',
  tag: TAG,
  answers,
  plan({ caller, params }) {
    const payload = { orgId: caller.orgId, id: params.id ?? '' };
    return { to: 'query', resource: 'own-delivery', payload };
  },
});

type Asking = Call<unknown, unknown>;

type Owners = DeliveryOwners['found'];

/** Each subscription retries its own; the count is of all. */
async function retryGroups(
  { caller, ids, ask }: Asking,
  groups: Iterable<readonly [subscriptionId: string, deliveries: Owners]>,
): Promise<Reply> {
  let retried = 0;
  for (const [key, deliveries] of groups) {
    const command = {
      id: ids.fresh('cmd'),
      type: 'retry',
      orgId: caller.orgId,
      deliveryIds: deliveries.map(({ id }) => id),
    } as const;
    const address = { kind: 'subscription', key } as const;
    const answer = await ask({ to: 'actor', address, command });
    if (answer.status !== 200) return answer;
    retried += bodyOf(answer).retried;
  }
  return jsonReply(200, { data: { retried, nextSince: null, until: null } });
}

async function retryByIds(asking: Asking, wanted: readonly string[]): Promise<Reply> {
  const payload = { orgId: asking.caller.orgId, ids: [...new Set(wanted)] };
  const answer = await asking.ask({ to: 'query', resource: 'delivery-owners', payload });
  if (answer.status !== 200) return answer;
  const { found } = bodyOf(answer);
  if (found.length < payload.ids.length) return refusalReply(failure('delivery_not_found'));
  return retryGroups(
    asking,
    Map.groupBy(found, ({ subscriptionId }) => subscriptionId),
  );
}

interface Range {
  readonly subscriptionId: string;
  readonly since: number;
  readonly until: number | undefined;
}

/** As many as there is time for; `nextSince` and `until` are the range that remains. */
async function retryRange(
  { caller, ids, ask }: Asking,
  { subscriptionId, since, until }: Range,
): Promise<Reply> {
  const list = { id: ids.fresh('cmd'), type: 'subscriptions.list' } as const;
  const listed = await ask(toOrganization(caller, list));
  if (listed.status !== 200) return listed;
  const { data, streams } = v.parse(SubscriptionsSchema, bodyOf(listed));
  const isOwn = [...data, ...streams].some(({ id }) => id === subscriptionId);
  if (!isOwn) return refusalReply(failure('subscription_not_found'));
  const command = {
    id: ids.fresh('cmd'),
    type: 'retry',
    ...{ orgId: caller.orgId, since },
    ...(until === undefined ? {} : { until }),
  } as const;
  const address = { kind: 'subscription', key: subscriptionId } as const;
  const answer = await ask({ to: 'actor', address, command });
  if (answer.status !== 200) return answer;
  const { retried, nextSince, until: end } = bodyOf(answer);
  const moments = { nextSince: momentOf(nextSince), until: momentOf(end) };
  return jsonReply(200, { data: { retried, ...moments } });
}

function momentOf(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}

const retryDeliveries = apiRoute({
  method: 'POST',
  path: '/panel/api/deliveries/retry',
  operationId: 'retryDeliveries',
  summary: 'Reenvia entregas: as escolhidas, ou as que falharam em um período.',
  tag: TAG,
  body: requestObject({
    ids: v.optional(listUpTo(anyIdText, RETRIED_DELIVERIES_MAX)),
    subscriptionId: v.optional(anyIdText),
    since: v.optional(moment),
    until: v.optional(moment),
  }),
  bodyExample: { ids: ['dlv_0Fq3Zk8Wm2Ls6Tn1Vb5Xc'] },
  answers,
  async run(call) {
    const { ids: wanted = [], subscriptionId, since, until } = call.body;
    const isRange = subscriptionId !== undefined && since !== undefined;
    if (isRange === wanted.length > 0) {
      return refusalReply(invalid({ path: 'ids', message: SENTENCES.oneSelection }));
    }
    if (!isRange) return retryByIds(call, wanted);
    return retryRange(call, { subscriptionId, since, until });
  },
});

export const DELIVERY_ROUTES: readonly ApiRoute[] = [listDeliveries, getDelivery, retryDeliveries];
