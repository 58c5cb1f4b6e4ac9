/**
 * Transactional outbox of a document: its bound, its relay, and the removal of what was published.
 * The relay publishes events to the organization's fan-out, and commands to their actors, at least
 * once: every item has a derived id.
 *
 * 1. A command is marked `lasting`: it may be published again a day later.
 * 2. It repeats an item until it is acknowledged or the lease ends. The next owner of the partition
 *    then finds the item in the document.
 * 3. Events of one organization that wait at the same moment are recorded together.
 * 4. Events of one entity are published in any order: each one names those before it that are not
 *    known to be recorded, for subscribers that read a stream (`event-order.ts`).
 * 5. At most `RELAYED_EVENTS_MAX` events are in flight: turns of conversations wait for room. To
 *    record an event takes no such turn, so the events in flight always arrive.
 */
import { OUTBOX_MAX, RELAYED_EVENTS_MAX } from '../../shared/limits.ts';
import type { Address, CommandOf } from '../../shared/ports/bus.ts';
import type { OutboxEvent, OutboxItem } from '../../shared/wire/outbox.ts';
import type { OutboxLocation, PublishedEvent } from '../domain/published-event.ts';
import type { Environment } from '../environment.ts';
import type { Write } from '../model/collections.ts';
import { Batcher } from '../runtime/concurrency.ts';
import { askUntilAcknowledged, retryWhile } from '../runtime/repeat.ts';
import { Overloaded } from '../runtime/turn.ts';
import { byNumber, EventNumbers, EventsUnderWay } from './event-order.ts';

const EVENTS_AT_ONCE = 200;
const CLEAR_RETRY_MS = 1_000;

/** The entity whose change the events report. */
export interface PublishingEntity extends OutboxLocation {
  readonly orgId: string;
  /** Epoch of the tenure: a publication joins none of another tenure, which may give up. */
  readonly epoch?: number;
  /** Finds earlier events that this process does not publish, where there may be some. */
  readonly findEarlier?: (event: OutboxEvent) => Promise<readonly OutboxEvent[]>;
}

type RelayEnvironment = Pick<Environment, 'bus' | 'clock' | 'log' | 'leaseHeld'>;

/** Records events for all who subscribe to them. */
export interface FanOut {
  /** True once all are on record; false when the lease has ended. Throws when the store fails. */
  record(orgId: string, events: readonly PublishedEvent[]): Promise<boolean>;
}

const RECORD_RETRY = { firstMs: 200 };

export class Relay {
  readonly #environment: RelayEnvironment;
  readonly #fanOut: FanOut;
  readonly #eventsMax: number;
  /** Batches of events, by organization. */
  readonly #events = new Batcher(
    (events: readonly PublishedEvent[], orgId) => this.#fanOutEvents(orgId, events),
    EVENTS_AT_ONCE,
  );
  readonly #byEntity = new EventsUnderWay();
  readonly #numbers = new EventNumbers();
  /** By event and epoch: a document's next commit holds what is still under way. */
  readonly #underWay = new Map<string, Promise<boolean>>();
  #eventsInFlight = 0;
  /** Resolved when an event is no longer in flight. */
  #freed = Promise.withResolvers<void>();

  constructor(environment: RelayEnvironment, fanOut: FanOut, eventsMax = RELAYED_EVENTS_MAX) {
    this.#environment = environment;
    this.#fanOut = fanOut;
    this.#eventsMax = eventsMax;
  }

  get hasCapacity(): boolean {
    return this.#eventsInFlight < this.#eventsMax;
  }

  /** Resolves when there is capacity for an event, or the lease has ended. */
  async waitForCapacity(): Promise<void> {
    while (!this.hasCapacity && this.#environment.leaseHeld()) await this.#freed.promise;
  }

  /**
   * The items of a commit, its events with their numbers.
   * @param fence the version that the commit raises, or the epoch of the entity's owner
   */
  numbered(items: readonly OutboxItem[], fence: number): readonly OutboxItem[] {
    return this.#numbers.next(items, fence);
  }

  /** True when every item was acknowledged; false when the lease has ended. */
  async publish(entity: PublishingEntity, items: readonly OutboxItem[]): Promise<boolean> {
    const acknowledged = await Promise.all(
      items.map((item) =>
        item.type === 'event'
          ? this.#publishOnce(entity, item)
          : this.#ask(item.to, { ...item.command, lasting: true }),
      ),
    );
    return acknowledged.every(Boolean);
  }

  /** Joins a publication of the same event that is under way. */
  #publishOnce(entity: PublishingEntity, event: OutboxEvent): Promise<boolean> {
    const key = `${event.id} ${entity.epoch ?? ''}`;
    const known = this.#underWay.get(key);
    if (known) return known;
    const published = this.#countInFlight(() => this.#publishEvent(entity, event)).finally(() =>
      this.#underWay.delete(key),
    );
    this.#underWay.set(key, published);
    return published;
  }

  #publishEvent(
    { orgId, collection, id, findEarlier }: PublishingEntity,
    event: OutboxEvent,
  ): Promise<boolean> {
    return this.#byEntity.run(id, event, async (underWay) => {
      const found = findEarlier ? await findEarlier(event) : [];
      const earlier = [...underWay, ...found].toSorted(byNumber);
      const events = [...new Set(earlier.map((each) => each.id))];
      const after = events.length > 0 ? { after: { collection, id, events } } : {};
      return this.#events.add({ ...event, ...after }, orgId);
    });
  }

  async #fanOutEvents(orgId: string, events: readonly PublishedEvent[]): Promise<boolean> {
    const mayAct = this.#environment.leaseHeld;
    const fields = { kind: 'organization', key: orgId, command: 'fan-out' };
    const retry = { mayAct, wait: RECORD_RETRY, failedMessage: 'publish failed', fields };
    const record = () => this.#fanOut.record(orgId, events);
    return (await retryWhile(this.#environment, retry, record)) === true;
  }

  async #countInFlight(publish: () => Promise<boolean>): Promise<boolean> {
    this.#eventsInFlight++;
    try {
      return await publish();
    } finally {
      this.#eventsInFlight--;
      this.#freed.resolve();
      this.#freed = Promise.withResolvers<void>();
    }
  }

  async #ask(to: Address, command: CommandOf): Promise<boolean> {
    const { log, leaseHeld } = this.#environment;
    const asking = { to, command, mayAct: leaseHeld, failedMessage: 'publish failed' };
    const answer = await askUntilAcknowledged(this.#environment, asking);
    if (answer === null) return false;
    const { id, type } = command;
    const refused = { kind: to.kind, key: to.key, id, command: type, status: answer.status };
    if (answer.status >= 400) log.warn(refused, 'published command was refused');
    return true;
  }
}

/** @throws {Overloaded} when a document's outbox has no room for the items */
export function assertCapacity(
  outbox: readonly unknown[],
  items: readonly unknown[],
  what: string,
): void {
  if (items.length > 0 && outbox.length + items.length > OUTBOX_MAX) throw new Overloaded(what);
}

/**
 * Removes published items from a document's outbox: true when it is done, false when the lease has
 * ended. After a lost removal only the partition's next owner publishes them again, under the same
 * ids.
 */
export async function clearPublished(
  environment: Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>,
  write: Write,
): Promise<boolean> {
  const { store, leaseHeld: mayAct } = environment;
  const wait = { firstMs: CLEAR_RETRY_MS };
  const retry = { mayAct, wait, failedMessage: 'clearing the published outbox failed' };
  const cleared = await retryWhile(environment, retry, async () => {
    const [outcome] = await store.commit([write], { deferrable: true });
    if (outcome && 'error' in outcome) throw outcome.error;
    return true;
  });
  return cleared !== null;
}
