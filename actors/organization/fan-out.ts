/**
 * Fan-out of an organization's events: one delivery document per event and matching subscription,
 * with the bytes that every attempt sends (C6.4, I3). Ids are derived: a repeat does nothing. The
 * last events are also kept in memory, for pages that are open.
 */
import { RECENT_EVENTS_KEPT, RECENT_EVENTS_MAX_CHARS } from '../../shared/limits.ts';
import type { Answer, AnswerOf } from '../../shared/ports/bus.ts';
import type { Store, WriteOutcome } from '../../shared/ports/store.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import { type OutboxEvent, timestamp } from '../../shared/wire/outbox.ts';
import type {
  ListRecentEvents,
  RecentEvent,
  RecentEventList,
} from '../../shared/wire/recent-events.ts';
import { subscribes } from '../domain/delivery.ts';
import type { OrganizationState } from '../domain/organization/state.ts';
import { liveStreams } from '../domain/organization/streams.ts';
import type { PublishedEvent } from '../domain/published-event.ts';
import type { Environment } from '../environment.ts';
import type { FanOutCommand } from '../outbox/relay.ts';
import {
  type ClaimOnInsert,
  type DeliveryClaimer,
  type DeliveryDocument,
  fanOutOrder,
  isFor,
  recordedDelivery,
  type StreamNudge,
  streamDelivery,
} from '../subscription/api.ts';

/**
 * Beyond this number of inserts under way an insert is slow. A permit held meanwhile serves a
 * waiting delivery better.
 */
const CLAIMED_AMONG_MAX = 200;

/** Fan-out of events in one process. */
export class EventFanOut {
  readonly #environment: Environment;
  readonly #claimer: DeliveryClaimer;
  #inserting = 0;
  #streamed = 0;

  constructor(environment: Environment, claimer: DeliveryClaimer) {
    this.#environment = environment;
    this.#claimer = claimer;
  }

  /** @param epoch of the organization's owner */
  async events(
    state: OrganizationState | null,
    command: FanOutCommand,
    epoch: number,
  ): Promise<Answer> {
    if (!state) return DONE;
    const order = () => fanOutOrder(epoch, this.#streamed++);
    const deliveries = command.events.flatMap((event) => [
      ...deliveriesOf(this.#environment, state, event),
      ...streamDeliveriesOf(this.#environment, state, { event, order }),
    ]);
    await this.#record(deliveries);
    return DONE;
  }

  /** Of an organization that has no live stream. */
  async withoutStreams(state: OrganizationState, events: readonly PublishedEvent[]): Promise<void> {
    await this.#record(events.flatMap((event) => deliveriesOf(this.#environment, state, event)));
  }

  async #record(deliveries: readonly DeliveryDocument[]): Promise<void> {
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
          bus.nudge({ kind: 'subscription', key: delivery.subscriptionId }, nudgeOf(delivery));
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
        const isClaimable = delivery.order === undefined && delivery.state.status === 'pending';
        const asked = isClaiming && isClaimable;
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

interface Streamed {
  readonly event: PublishedEvent;
  /** The next place in the order of the organization's events. */
  readonly order: () => string;
}

/** The stream's owner reads them in their order: a stream has no attempts. */
function streamDeliveriesOf(
  environment: Environment,
  state: OrganizationState,
  { event, order }: Streamed,
): DeliveryDocument[] {
  if (state.streams === undefined) return [];
  return liveStreams(state, environment.clock.now())
    .filter((stream) => isFor(stream, event))
    .map((stream) => {
      const recorded = { orgId: state.id, subscriptionId: stream.id, event, order: order() };
      return streamDelivery(environment, stream, recorded);
    });
}

/** A stream's owner reads the store: nudges overtake each other. */
function nudgeOf(delivery: DeliveryDocument): DeliveryDocument | StreamNudge {
  return delivery.order === undefined ? delivery : { streamId: delivery.subscriptionId };
}

interface Kept extends RecentEvent {
  /** Rises by one with each event of a series. */
  readonly number: number;
  readonly chars: number;
}

/**
 * The last events of one organization, in the memory of its owner, for pages that are open (D241).
 *
 * 1. Nothing is stored, and nothing is kept while the owner knows of no listener.
 * 2. A published event is told once, though its publication may be repeated (I18).
 * 3. A cursor of another owner, or of an earlier series, answers everything.
 */
export class RecentEvents {
  readonly #environment: Pick<Environment, 'clock' | 'live'>;
  readonly #orgId: string;
  /** Begin of the series, epoch milliseconds. */
  #since: number;
  #count = 0;
  #chars = 0;
  /** Oldest first; the oldest goes when there are too many, or too many characters. */
  readonly #kept: Kept[] = [];

  constructor(environment: Pick<Environment, 'clock' | 'live'>, orgId: string) {
    this.#environment = environment;
    this.#orgId = orgId;
    this.#since = environment.clock.now();
  }

  add(events: readonly OutboxEvent[]): void {
    const { clock, live } = this.#environment;
    if (!live.hasListeners(this.#orgId)) {
      if (this.#count > 0) this.#beginAnew();
      return;
    }
    const at = timestamp(clock.now());
    const known = new Set(this.#kept.map(({ id }) => id));
    for (const { id, event, data } of events) {
      if (known.has(id)) continue;
      const chars = JSON.stringify(data).length;
      this.#count += 1;
      this.#chars += chars;
      this.#kept.push({ id, at, event, data, number: this.#count, chars });
    }
    while (this.#isOverfull) this.#chars -= this.#kept.shift()?.chars ?? 0;
    live.changed(this.#orgId, 'event', { id: this.#orgId, seq: clock.now() });
  }

  list({ cursor }: Pick<ListRecentEvents, 'cursor'>): AnswerOf<RecentEventList> {
    const [since, number] = (cursor ?? '').split('-').map(Number);
    const after = since === this.#since ? (number ?? 0) : 0;
    const data = this.#kept
      .filter((each) => each.number > after)
      .map(({ number: _number, chars: _chars, ...event }) => event)
      .toReversed();
    return answerOf({ data, cursor: `${this.#since}-${this.#count}` });
  }

  get #isOverfull(): boolean {
    const { length } = this.#kept;
    return length > RECENT_EVENTS_KEPT || (length > 1 && this.#chars > RECENT_EVENTS_MAX_CHARS);
  }

  #beginAnew(): void {
    this.#since = this.#environment.clock.now();
    this.#kept.length = 0;
    this.#chars = 0;
    this.#count = 0;
  }
}
