/**
 * Events and deliveries (I3, I5): one event per transition, and one delivery of it per
 * subscription. A delivery has seven attempts at most, the same bytes each time, and waits that
 * never shrink.
 */
import { DELIVERY_RETRIES } from '../../../../shared/limits.ts';
import type { Checker } from './evidence.ts';

interface Said {
  readonly event: string;
  readonly subject: string;
  readonly occurredAt: string;
}

function saidBy(body: string): Said {
  const { event, data } = JSON.parse(body);
  const subject = data.messageId ?? data.deal?.id ?? data.task?.id ?? data.contact?.id ?? '';
  return { event, subject, occurredAt: data.occurredAt };
}

/** Of a message each event comes once: of sent, delivered, read, failed and received. */
export const oneDeliveryPerEvent: Checker = ({ deliveries }) => {
  const told = Map.groupBy(deliveries, ({ body, subscriptionId }) => {
    const { event, subject, occurredAt } = saidBy(body);
    const moment = event.startsWith('message.') ? '' : occurredAt;
    return `${event} of ${subject} ${moment} for ${subscriptionId}`;
  });
  return [...told].flatMap(([what, all]) =>
    all.length > 1 ? [`${what}: ${all.length} deliveries`] : [],
  );
};

/** Each transition is reported to every subscription that wants it. */
export const everyTransitionIsTold: Checker = ({ entries, deals, tasks, deliveries }) => {
  const told = new Map<string, number>();
  for (const { body } of deliveries) {
    const { event, subject } = saidBy(body);
    const key = `${event} ${subject}`;
    told.set(key, (told.get(key) ?? 0) + 1);
  }
  const missing = (event: string, subject: string, wanted: number): string[] =>
    (told.get(`${event} ${subject}`) ?? 0) === wanted
      ? []
      : [
          `${event} of ${subject} was told ${told.get(`${event} ${subject}`) ?? 0} times, not ${wanted}`,
        ];
  return [
    ...entries.flatMap(({ _id, message }) => {
      if (!message || message.direction === 'note') return [];
      if (message.direction === 'in') return missing('message.received', _id, 2);
      const sent = message.receipts.sent !== null;
      return missing('message.sent', _id, sent ? 2 : 0);
    }),
    ...deals.flatMap(({ _id }) => missing('deal.created', _id, 1)),
    ...tasks.flatMap(({ _id }) => missing('task.created', _id, 1)),
  ];
};

export const attemptsAreCounted: Checker = ({ deliveries, posts }) => {
  const byId = Map.groupBy(posts, ({ headers }) => headers['X-Service-Delivery'] ?? '');
  const known = new Map(deliveries.map((delivery) => [delivery._id, delivery]));
  return [...byId].flatMap(([id, all]) => {
    const wrong: string[] = [];
    const delivery = known.get(id);
    if (!delivery) return [`delivery ${id} was posted and is not on record`];
    if (all.length > DELIVERY_RETRIES + 1) wrong.push(`${id} was posted ${all.length} times`);
    if (all.some(({ body }) => body !== delivery.body)) wrong.push(`${id} changed its bytes`);
    if (delivery.state.counted < all.length) {
      wrong.push(`${id} was posted ${all.length} times and counted ${delivery.state.counted}`);
    }
    return wrong;
  });
};

/** Once all is well every delivery has ended, or waits for its subscription's breaker. */
export const everyDeliveryEnds: Checker = ({ deliveries, posts }) => {
  const posted = new Set(posts.map(({ headers }) => headers['X-Service-Delivery']));
  return deliveries.flatMap(({ _id, state }) => {
    if (state.status === 'pending') return [`delivery ${_id} is still pending`];
    if (state.status === 'succeeded' && !posted.has(_id)) {
      return [`delivery ${_id} succeeded without a POST`];
    }
    return [];
  });
};
