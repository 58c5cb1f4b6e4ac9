/**
 * Events and deliveries (I3, I5): one event per transition, and one delivery of it for each
 * subscription that wants it. A delivery has seven attempts at most, the same bytes each time and
 * signed, and none after an answer 200 that no fault may have swallowed. Nothing else is told.
 */
import { createHmac } from 'node:crypto';
import { PROBE_MAX_MS } from '../../../actors/domain/breaker.ts';
import { DELIVERY_RETRIES } from '../../../shared/limits.ts';
import { type Checker, fromStore, grouped, type Rule } from './checker.ts';
import type { Attempt, Delivery, History } from './history.ts';

const OK = 200;
/** Parts that must run for an answer to arrive and to be recorded. */
const ON_THE_WAY = ['subscriber', 'actors', 'mongo'];
/** An answer may be waited for so long, and be written down late. */
const AFTERMATH_MS = 15_000;
/** A probe, the deliveries it resumes, and the delay that a fallback poll may add. */
const TAKEN_UP_WITHIN_MS = 20_000;

/** Events that occur once per message, deal or task; a deal's transitions have their own rules. */
const ONCE = /^(message\.(sent|received|failed)|(deal|task)\.created)$/;
const COMES_ONCE = /^message\.|\.created$/;
/** Of an outbound message that has not come to the network. */
const UNTOLD: ReadonlySet<string> = new Set(['queued', 'scheduled', 'cancelled', 'failed']);

function whatOf({ event, subject }: Pick<Delivery, 'event' | 'subject'>): string {
  return `${event} of ${subject}`;
}

/**
 * Of a message each event comes once: of sent, delivered, read, failed and received. Others have a
 * moment of their own, unless a clock was set back: then two changes may bear one. Changes of a
 * contact that wait together may be made in one millisecond: each tells another contact.
 */
const oneDeliveryPerEvent: Rule = ({ deliveries, store }) => {
  const hasMoments = store?.clocksJumpedAt === undefined;
  const known = deliveries.filter(
    ({ subscription, event }) =>
      subscription !== undefined && (hasMoments || COMES_ONCE.test(event)),
  );
  const told = Map.groupBy(known, ({ subscription, occurredAt, contact, ...each }) => {
    const moment = each.event.startsWith('message.') ? '' : occurredAt;
    const state = each.event === 'contact.updated' ? ` ${JSON.stringify(contact)}` : '';
    return `${whatOf(each)} ${moment} for ${subscription}${state}`;
  });
  return [...told].flatMap(([what, all]) =>
    all.length > 1 ? [`${what}: ${all.length} deliveries`] : [],
  );
};

/** What has to be told, by every subscription that wants it. */
function expected({ messages, deals, store }: History): ReadonlySet<string> {
  return new Set([
    ...messages.flatMap(({ id, direction, status, wasSent = !UNTOLD.has(status) }) => {
      if (direction === 'note') return [];
      if (direction === 'in') return [`message.received of ${id}`];
      const failed = status === 'failed' ? [`message.failed of ${id}`] : [];
      return wasSent ? [`message.sent of ${id}`, ...failed] : failed;
    }),
    ...deals.map(({ id }) => `deal.created of ${id}`),
    ...(store?.tasks ?? []).map(({ id }) => `task.created of ${id}`),
  ]);
}

const everyTransitionIsTold: Rule = (history) => {
  const told = grouped(history.deliveries, whatOf);
  return [...expected(history)].flatMap((what) => {
    const wanted = history.copies[what.split(' ')[0] ?? ''] ?? 1;
    const { length } = told.of(what);
    return length === wanted ? [] : [`${what} made ${length} deliveries, not ${wanted}`];
  });
};

const nothingElseIsTold: Rule = (history) => {
  const due = expected(history);
  const taken = new Set(
    history.transmissions.flatMap(({ messageId, taken }) => (taken && messageId) || []),
  );
  // A network may take a message and refuse it afterwards: whoever knows receipts knows of that.
  // Two owners at once may each record one of the two reports: the message keeps the refusal alone.
  const passing = new Set(
    history.messages.flatMap(({ id, status, wasSent }) =>
      status === 'failed' && (wasSent === undefined || taken.has(id))
        ? [`message.sent of ${id}`]
        : [],
    ),
  );
  const told = history.deliveries.filter(({ event }) => ONCE.test(event)).map(whatOf);
  return [...new Set(told)].flatMap((what) =>
    due.has(what) || passing.has(what) ? [] : [`${what} was told and is not there`],
  );
};

const attemptsAreCounted: Rule = ({ deliveries, store }) =>
  deliveries.flatMap(({ id, event, named, state, attempts: { length }, attempts }) => {
    const wrong: string[] = [];
    if (store && !state) return [`delivery ${id} was posted and is not on record`];
    if (event !== named) wrong.push(`${id} is called ${event} and tells ${named}`);
    if (length > DELIVERY_RETRIES + 1) wrong.push(`${id} was posted ${length} times`);
    if (new Set(attempts.map(({ bytes }) => bytes)).size > 1) wrong.push(`${id} changed its bytes`);
    if (state && state.counted < length) {
      wrong.push(`${id} was posted ${length} times and counted ${state.counted}`);
    }
    return wrong;
  });

const attemptsAreSigned: Rule = ({ deliveries, secret }) => {
  if (secret === undefined) return null;
  return deliveries.flatMap(({ id, body, attempts: [first] }) => {
    const hex = createHmac('sha256', secret).update(body).digest('hex');
    return first?.signature === `sha256=${hex}` && secret !== ''
      ? []
      : [`${id} is not signed as it should be`];
  });
};

function isTaken({ answered }: Attempt): boolean {
  return answered === OK;
}

/** Attempts after one that was taken, and nothing that may have come between. */
const noneAfterItWasTaken: Rule = ({ deliveries, faults, store }) => {
  // Answers that are lost on their way look like others.
  if (store) return null;
  const excusing = faults.filter(({ parts }) =>
    parts.some((part) => ON_THE_WAY.some((role) => part.startsWith(role))),
  );
  return deliveries.flatMap(({ id, attempts }) => {
    const at = attempts.findIndex(isTaken);
    const [taken, again] = [attempts[at], attempts[at + 1]];
    if (taken === undefined || again === undefined) return [];
    const isExcused = excusing.some(
      ({ from, to }) => from <= again.at && to + AFTERMATH_MS >= taken.at,
    );
    return isExcused ? [] : [`${id} came again after it was answered ${OK}`];
  });
};

/** Once all is well every delivery has ended, or waits for its subscription's breaker. */
const everyDeliveryEnds = fromStore((_, { deliveries }) => {
  return deliveries.flatMap(({ id, state, attempts }) => {
    if (state?.status === 'pending') return [`delivery ${id} is still pending`];
    if (state?.status === 'succeeded' && attempts.length === 0) {
      return [`delivery ${id} succeeded without a POST`];
    }
    return [];
  });
});

/** Parked with a healthy subscriber for longer than the longest wait of a breaker. */
const parkedDeliveriesComeBack: Rule = ({ deliveries, store, healed, endedAt }) => {
  if (!store || !healed) return null;
  if (endedAt - healed.at < PROBE_MAX_MS + TAKEN_UP_WITHIN_MS) return [];
  return deliveries.flatMap(({ id, subscription, state }) =>
    state?.status === 'parked' && !store.disabled.has(subscription ?? '')
      ? [`delivery ${id} is parked although its subscriber is well`]
      : [],
  );
};

export const deliveries: Checker = {
  rules: {
    oneDeliveryPerEvent,
    everyTransitionIsTold,
    nothingElseIsTold,
    attemptsAreCounted,
    attemptsAreSigned,
    noneAfterItWasTaken,
    everyDeliveryEnds,
    parkedDeliveriesComeBack,
  },
  counted: (history) => {
    const attempts = history.deliveries.map((each) => each.attempts);
    return {
      deliveries: attempts.length,
      attemptsReceived: attempts.flat().length,
      eventsExpected: expected(history).size,
      refused: attempts.flat().filter((each) => !isTaken(each)).length,
      receivedAgain: attempts.filter((all) => all.filter(isTaken).length > 1).length,
    };
  },
};
