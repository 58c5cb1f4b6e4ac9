/**
 * Fan-out: one delivery document per event and matching subscription, with the bytes that every
 * attempt sends (C6.4, I3). Ids are derived: a repeat does nothing.
 */
import { deliveryId } from '../../shared/entity-ids.ts';
import { subscribes } from '../../shared/events.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { Store, WriteOutcome } from '../../shared/ports/store.ts';
import { DONE } from '../../shared/wire/answer.ts';
import type { OutboxEvent } from '../../shared/wire/outbox.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { OrganizationState, SubscriptionEntry } from '../domain/organization/state.ts';
import type { Environment } from '../environment.ts';
import type { FanOutCommand } from '../outbox/relay.ts';
import {
  type ClaimOnInsert,
  type DeliveryClaimer,
  type DeliveryDocument,
  recordedState,
} from '../subscription/api.ts';

/**
 * Beyond this number of inserts under way an insert is slow. A permit held meanwhile serves a
 * waiting delivery better.
 */
const CLAIMED_AMONG_MAX = 200;

/** Fan-out of the organizations of one process. */
export class EventFanOut {
  readonly #environment: Environment;
  readonly #claimer: DeliveryClaimer;
  #inserting = 0;

  constructor(environment: Environment, claimer: DeliveryClaimer) {
    this.#environment = environment;
    this.#claimer = claimer;
  }

  async events(state: OrganizationState | null, command: FanOutCommand): Promise<Answer> {
    if (!state) return DONE;
    const { bus, store } = this.#environment;
    const deliveries = command.events.flatMap((event) =>
      deliveriesOf(this.#environment, state, event),
    );
    if (deliveries.length === 0) return DONE;
    this.#inserting += deliveries.length;
    try {
      const inserts = await this.#claimAll(deliveries);
      const outcomes = await insertAll(store, inserts);
      inserts.forEach(({ delivery, claim }, index) => {
        const outcome = outcomes[index];
        if (outcome && !outcome.ok && 'error' in outcome) throw outcome.error;
        if (outcome?.ok && !claim && delivery.state.status === 'pending') {
          bus.nudge({ kind: 'subscription', key: delivery.subscriptionId }, delivery);
        }
      });
      return DONE;
    } finally {
      this.#inserting -= deliveries.length;
    }
  }

  /** Offers the deliveries to the delivery workers of their subscriptions in this process. */
  #claimAll(deliveries: readonly DeliveryDocument[]): Promise<readonly DeliveryInsert[]> {
    const isClaiming = this.#inserting <= CLAIMED_AMONG_MAX;
    return Promise.all(
      deliveries.map(async (delivery) => {
        const asked = isClaiming && delivery.state.status === 'pending';
        const claim = asked ? await this.#claimer.claimOnInsert(delivery) : null;
        return { delivery: claim?.delivery ?? delivery, claim };
      }),
    );
  }
}

interface DeliveryInsert {
  readonly delivery: DeliveryDocument;
  readonly claim: ClaimOnInsert | null;
}

/** Resolves every claim, whatever the outcome of the inserts. */
async function insertAll(
  store: Store,
  inserts: readonly DeliveryInsert[],
): Promise<readonly WriteOutcome[]> {
  let outcomes: readonly WriteOutcome[] = [];
  try {
    outcomes = await store.commit(
      inserts.map(({ delivery: document }) => ({ insert: 'deliveries', document })),
    );
    return outcomes;
  } finally {
    inserts.forEach(({ claim }, index) => {
      claim?.resolveInsert(outcomes[index]?.ok === true);
    });
  }
}

function deliveriesOf(
  environment: Environment,
  state: OrganizationState,
  event: OutboxEvent,
): DeliveryDocument[] {
  const subscribed = state.subscriptions.filter(
    (each) => each.removed !== true && subscribes(each.events, event.event),
  );
  if (subscribed.length === 0) return [];
  const body = JSON.stringify({ event: event.event, data: event.data });
  const now = environment.clock.now();
  return subscribed.map(({ id, enabled }: SubscriptionEntry) => ({
    _id: deliveryId(environment.ids, event.id, id),
    orgId: state.id,
    subscriptionId: id,
    partition: partitionOf('subscription', id),
    event: event.event,
    body,
    ...(event.requestId === undefined ? {} : { requestId: event.requestId }),
    createdAt: now,
    state: recordedState(now, enabled ? 'pending' : 'parked'),
  }));
}
