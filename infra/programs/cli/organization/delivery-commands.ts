/** `recado deliveries list|show|retry`, as commands and as text for people. */
import { type Command, Option } from 'commander';
import * as v from 'valibot';
import { DELIVERY_STATUSES } from '../../../../shared/vocabulary.ts';
import { group } from '../output/group.ts';
import { fromNow, humanizeLastAttempt, humanizeOutcome, moment } from '../output/humanize.ts';
import { addList } from '../output/lists.ts';
import { type Row, render, renderTable } from '../output/print.ts';
import type { Printing } from '../output/printing.ts';
import {
  type Delivery,
  type DeliveryFilter,
  listDeliveries,
  type RetryOptions,
  retryDeliveries,
  showDelivery,
} from './deliveries.ts';

const attemptsSchema = v.array(
  v.looseObject({
    at: v.string(),
    status: v.nullable(v.number()),
    ms: v.number(),
    error: v.nullable(v.string()),
    response: v.optional(v.string()),
  }),
);

const SINCE = ['--since <time>', 'ISO 8601 time, or so long ago (2h)'] as const;
const UNTIL = ['--until <time>', 'ISO 8601 time, or so long ago (2h)'] as const;
const SUBSCRIPTION = ['--subscription <subscription>', 'ref or id of a subscription'] as const;

function attemptsOf({ attempts }: Row) {
  return v.parse(v.optional(attemptsSchema, []), attempts);
}

function deliveryRow(delivery: Row, now: number): Row {
  const { id, event, status, nextAttemptAt } = delivery;
  const next = typeof nextAttemptAt === 'string' ? fromNow(nextAttemptAt, now) : null;
  return { id, event, status, lastAttempt: humanizeLastAttempt(attemptsOf(delivery), now), next };
}

/** Its properties, every attempt, and the body as it was sent. */
export function renderDelivery(delivery: Delivery, now: number): string {
  const { attempts: _, body, ...head } = delivery;
  const attempts = attemptsOf(delivery).map((attempt, index) => ({
    ...{ attempt: index + 1, at: moment(attempt.at), outcome: humanizeOutcome(attempt) },
    ...{ ms: attempt.ms, error: attempt.error, answer: attempt.response || null },
  }));
  const last = humanizeLastAttempt(attemptsOf(delivery), now);
  const text = `${render({ ...head, lastAttempt: last })}\n${renderTable(attempts, 'wrap')}`;
  return typeof body === 'string' ? `${text}\n${body}\n` : text;
}

export function addDeliveries(program: Command, printing: Printing, now: () => number): void {
  const deliveries = group(program, 'deliveries', 'deliveries of events');
  addList<DeliveryFilter>(deliveries, printing, {
    description: 'lists deliveries with their last attempt, newest first',
    options: [
      new Option(...SUBSCRIPTION),
      new Option('--status <status>', 'their status').choices([...DELIVERY_STATUSES]),
      new Option(...SINCE),
      new Option(...UNTIL),
    ],
    read: (service, filter) => listDeliveries(service, filter, now()),
    row: (delivery) => deliveryRow(delivery, now()),
  });
  deliveries
    .command('show')
    .description('shows a delivery with all its attempts and its body')
    .argument('<id>', 'the id of the delivery')
    .action((id: string) =>
      printing.show((service) => showDelivery(service, id), {
        text: (delivery) => renderDelivery(delivery, now()),
      }),
    );
  deliveries
    .command('retry')
    .description('sends deliveries once more')
    .argument('[ids...]', 'ids of deliveries')
    .option('--org <org>', "ref or id of the subscription's organization")
    .option(...SUBSCRIPTION)
    .option(...SINCE)
    .option(...UNTIL)
    .action((ids: string[], options: Omit<RetryOptions, 'ids'>) =>
      printing.show((service) => retryDeliveries(service, { ...options, ids }, now())),
    );
}
