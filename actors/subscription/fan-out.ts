/**
 * Fan-out of an organization's events, in the process that has committed them, by its view of the
 * organization: one delivery document per event and matching subscription, with the bytes that
 * every attempt sends (C6.4, I3).
 *
 * 1. Ids are derived: a repeat records nothing twice.
 * 2. Deliveries of webhooks come first: none waits for a stream.
 * 3. A stream's deliveries are recorded by its owner, which alone knows their order. It is asked
 *    until it answers, or the lease ends: the entity's next owner has the events in its outbox.
 */
import type { WriteOutcome } from '../../shared/ports/store.ts';
import { subscribes } from '../domain/delivery.ts';
import { CLOCK_SKEW_MS, type LiveStream, liveStreams } from '../domain/organization/streams.ts';
import type { OrganizationState } from '../domain/organization.ts';
import type { PublishedEvent } from '../domain/published-event.ts';
import type { Environment } from '../environment.ts';
import type { Store } from '../model/collections.ts';
import type { ShowEvents } from '../model/organization.ts';
import type { DeliveryDocument, RecordEvents } from '../model/subscription.ts';
import type { OrganizationViews } from '../organization/views.ts';
import type { FanOut } from '../outbox/relay.ts';
import { askUntilAcknowledged } from '../runtime/repeat.ts';
import type { ClaimOnInsert, DeliveryClaimer } from './deliveries/claim-on-insert.ts';
import { isFor, recordedDelivery } from './deliveries/recorded-delivery.ts';

/**
 * Beyond this number of inserts under way an insert is slow. A permit held meanwhile serves a
 * waiting delivery better.
 */
const CLAIMED_AMONG_MAX = 200;
const SHOWN_WITHIN_MS = 2_000;

type FanOutEnvironment = Pick<
  Environment,
  'bus' | 'clock' | 'ids' | 'leaseHeld' | 'live' | 'log' | 'store'
>;

export class EventFanOut implements FanOut {
  readonly #environment: FanOutEnvironment;
  readonly #views: Pick<OrganizationViews, 'read'>;
  readonly #claimer: DeliveryClaimer;
  readonly #onEvents: (count: number) => void;
  #inserting = 0;

  constructor(
    environment: FanOutEnvironment,
    views: Pick<OrganizationViews, 'read'>,
    claimer: DeliveryClaimer,
    onEvents: (count: number) => void = () => undefined,
  ) {
    this.#environment = environment;
    this.#views = views;
    this.#claimer = claimer;
    this.#onEvents = onEvents;
  }

  async record(orgId: string, events: readonly PublishedEvent[]): Promise<boolean> {
    const { clock, live } = this.#environment;
    const state = await this.#views.read(orgId);
    if (!state) return true;
    await this.#recordForWebhooks(state, events);
    const streams = liveStreams(state, clock.now() - CLOCK_SKEW_MS);
    const asked = streams.map((stream) => this.#recordForStream(orgId, stream, events));
    if ((await Promise.all(asked)).includes(false)) return false;
    if (live.hasListeners(orgId)) this.#show(orgId, events);
    this.#onEvents(events.length);
    return true;
  }

  /** False when the lease has ended. */
  async #recordForStream(
    orgId: string,
    stream: LiveStream,
    events: readonly PublishedEvent[],
  ): Promise<boolean> {
    const heard = events.filter((event) => isFor(stream, event));
    if (heard.length === 0) return true;
    const { ids, leaseHeld } = this.#environment;
    const command: RecordEvents = {
      ...{ id: ids.fresh('rec'), type: 'record-events', orgId },
      ...{ generation: stream.createdAt, events: heard },
    };
    const to = { kind: 'subscription', key: stream.id } as const;
    const failedMessage = 'events were not recorded for a stream';
    const asking = { to, command, mayAct: leaseHeld, failedMessage };
    return (await askUntilAcknowledged(this.#environment, asking)) !== null;
  }

  async #recordForWebhooks(
    state: OrganizationState,
    events: readonly PublishedEvent[],
  ): Promise<void> {
    const deliveries = events.flatMap((event) => deliveriesOf(this.#environment, state, event));
    if (deliveries.length === 0) return;
    const { bus, store } = this.#environment;
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

  #show(orgId: string, events: readonly PublishedEvent[]): void {
    const { bus, clock, ids } = this.#environment;
    const command: ShowEvents = { id: ids.fresh('shw'), type: 'show-events', events };
    const deadline = clock.now() + SHOWN_WITHIN_MS;
    bus.ask({ kind: 'organization', key: orgId }, command, { deadline }).catch(() => undefined);
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
  environment: FanOutEnvironment,
  { id: orgId, subscriptions }: OrganizationState,
  event: PublishedEvent,
): DeliveryDocument[] {
  return subscriptions
    .filter((each) => each.removed !== true && subscribes(each.events, event.event))
    .map(({ id: subscriptionId, enabled }) => {
      const recorded = { orgId, subscriptionId, event };
      return recordedDelivery(environment, recorded, enabled ? 'pending' : 'parked');
    });
}
