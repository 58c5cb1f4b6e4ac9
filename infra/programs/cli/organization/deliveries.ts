/** `recado deliveries list|show|retry` (C12.10, D45). */
import * as v from 'valibot';
import type { Issue } from '../../../../shared/failures.ts';
import type { Answer } from '../../../../shared/ports/bus.ts';
import { parseDuration } from '../../../../shared/provisioning/duration.ts';
import type { DeliveryStatus } from '../../../../shared/vocabulary.ts';
import type { ActingPerson } from '../../../../shared/wire/audit.ts';
import type { RetryDeliveries } from '../../../../shared/wire/subscription-commands.ts';
import { listSchema, readAnswer } from '../service/answer.ts';
import { BadInput, badInput } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import { findOrganization, findSubscription } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Epoch milliseconds of `2026-01-02`, `2026-01-02T03:04:05Z`, or of so long ago (`2h`).
 * @throws {BadInput} naming the option
 */
function parseMoment(option: string, text: string, now: number): number {
  const agoMs = parseDuration(text);
  if (agoMs !== null) return now - agoMs;
  const moment = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) {
    const example = 'an ISO 8601 time with its zone (2026-01-02T03:04:05Z) or a duration (2h)';
    throw badInput(option, `"${text}" is not a time: give ${example}`);
  }
  return moment;
}

interface Range {
  readonly since?: string;
  readonly until?: string;
}

function rangeOf({ since, until }: Range, now: number) {
  return {
    ...(since !== undefined && { since: parseMoment('--since', since, now) }),
    ...(until !== undefined && { until: parseMoment('--until', until, now) }),
  };
}

export interface DeliveryFilter extends Range {
  readonly org?: string;
  readonly limit?: number;
  readonly subscription?: string;
  readonly status?: DeliveryStatus;
}

export async function listDeliveries(service: Service, filter: DeliveryFilter, now: number) {
  const range = rangeOf(filter, now);
  const orgId = await findOrganization(service, filter.org);
  const subscription =
    filter.subscription === undefined
      ? undefined
      : await findSubscription(service, filter.subscription, orgId);
  const answer = await service.query('deliveries', {
    orgId,
    ...range,
    ...(subscription !== undefined && { subscription }),
    ...(filter.status !== undefined && { status: filter.status }),
    ...(filter.limit !== undefined && { limit: filter.limit }),
  });
  return readAnswer(listSchema, answer);
}

const deliverySchema = v.looseObject({ id: v.string(), subscriptionId: v.string() });
export type Delivery = v.InferOutput<typeof deliverySchema>;

/** The delivery with its body. */
export async function showDelivery(service: Service, id: string) {
  return readAnswer(deliverySchema, await service.query('delivery', { id }));
}

const retriedSchema = v.object({
  retried: v.number(),
  /** Where to go on when there was no time for all. */
  nextSince: v.optional(v.nullable(v.number()), null),
});

async function retryOne(
  service: Service,
  subscriptionId: string,
  what: Pick<RetryDeliveries, 'deliveryIds' | 'since' | 'until'>,
): Promise<number> {
  const address = { kind: 'subscription', key: subscriptionId } as const;
  let retried = 0;
  let options: typeof what & { readonly by?: ActingPerson } = {
    ...what,
    ...operatorAs('retryDeliveries'),
  };
  for (;;) {
    const answer: Answer = await service.ask(address, { type: 'retry', ...options });
    const page = readAnswer(retriedSchema, answer);
    retried += page.retried;
    if (page.nextSince === null) return retried;
    // The first page has recorded the act.
    options = { ...what, since: page.nextSince };
  }
}

async function retryByIds(service: Service, ids: readonly string[]): Promise<number> {
  const issues: Issue[] = [];
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return [await showDelivery(service, id)];
      } catch (cause) {
        if (!(cause instanceof BadInput)) throw cause;
        issues.push({ path: id, message: 'there is no such delivery' });
        return [];
      }
    }),
  );
  if (issues.length > 0) throw new BadInput(issues);
  const groups = Object.groupBy(found.flat(), ({ subscriptionId }) => subscriptionId);
  const retried = await Promise.all(
    Object.entries(groups).map(([subscriptionId, deliveries = []]) =>
      retryOne(service, subscriptionId, { deliveryIds: deliveries.map(({ id }) => id) }),
    ),
  );
  return retried.reduce((sum, count) => sum + count, 0);
}

export interface RetryOptions extends Range {
  readonly ids: readonly string[];
  readonly org?: string;
  readonly subscription?: string;
}

/** Either some deliveries by id, or one subscription's of a stretch of time. */
export async function retryDeliveries(service: Service, options: RetryOptions, now: number) {
  const { ids, org, subscription, since } = options;
  if (ids.length > 0) {
    if (subscription !== undefined || since !== undefined) {
      throw badInput('', 'give either ids or --subscription with --since, not both');
    }
    return { retried: await retryByIds(service, [...new Set(ids)]) };
  }
  if (subscription === undefined || since === undefined) {
    throw badInput('', 'give ids of deliveries, or --subscription with --since');
  }
  // The range ends now, so that a delivery that fails again during the retry is not retried again.
  const range = { until: now, ...rangeOf(options, now) };
  const orgId = org === undefined ? undefined : await findOrganization(service, org);
  const subscriptionId = await findSubscription(service, subscription, orgId);
  return { retried: await retryOne(service, subscriptionId, range) };
}
