/**
 * Relay of a transactional outbox. It publishes events to the organization's fan-out, and commands
 * to their actors, at least once: every item has a derived id.
 *
 * 1. A command is marked `lasting`: it may be published again a day later.
 * 2. It repeats an item until it is acknowledged or the lease ends. The next owner of the partition
 *    then finds the item in the document.
 * 3. Events of one organization that wait at the same moment share an ask.
 * 4. At most `RELAYED_EVENTS_MAX` events are in flight: turns of conversations wait for room. Turns
 *    of organizations never wait, so the events in flight always arrive.
 */
import { RELAYED_EVENTS_MAX } from '../../shared/limits.ts';
import type { Address, Command } from '../../shared/ports/bus.ts';
import type { OutboxEvent, OutboxItem } from '../../shared/wire/outbox.ts';
import type { Environment } from '../environment.ts';
import { askUntilAcknowledged } from '../runtime/ask-until-acknowledged.ts';
import { fanOut } from './fan-out.ts';

const EVENTS_PER_ASK = 200;

interface Batch {
  readonly events: OutboxEvent[];
  readonly acknowledged: Promise<boolean>;
}

type RelayEnvironment = Pick<Environment, 'bus' | 'clock' | 'ids' | 'log' | 'leaseHeld'>;

export class Relay {
  readonly #environment: RelayEnvironment;
  readonly #eventsMax: number;
  readonly #batches = new Map<string, Batch>();
  #eventsInFlight = 0;
  /** Resolved when an event is no longer in flight. */
  #freed = Promise.withResolvers<void>();

  constructor(environment: RelayEnvironment, eventsMax = RELAYED_EVENTS_MAX) {
    this.#environment = environment;
    this.#eventsMax = eventsMax;
  }

  get hasRoom(): boolean {
    return this.#eventsInFlight < this.#eventsMax;
  }

  /** Resolves when there is room for an event, or the lease has ended. */
  async waitForRoom(): Promise<void> {
    while (!this.hasRoom && this.#environment.leaseHeld()) await this.#freed.promise;
  }

  /** True when every item was acknowledged; false when the lease has ended. */
  async publish(orgId: string, items: readonly OutboxItem[]): Promise<boolean> {
    const acknowledged = await Promise.all(
      items.map((item) =>
        item.type === 'event'
          ? this.#countInFlight(() => this.#batch(orgId, item))
          : this.#ask(item.to, { ...item.command, lasting: true }),
      ),
    );
    return acknowledged.every(Boolean);
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

  #batch(orgId: string, event: OutboxEvent): Promise<boolean> {
    const open = this.#batches.get(orgId);
    if (open && open.events.length < EVENTS_PER_ASK) {
      open.events.push(event);
      return open.acknowledged;
    }
    const events = [event];
    const acknowledged = new Promise<void>((resume) => setImmediate(resume)).then(() => {
      if (this.#batches.get(orgId)?.events === events) this.#batches.delete(orgId);
      const command = fanOut(this.#environment.ids.fresh('fan'), orgId, events);
      return this.#ask({ kind: 'organization', key: orgId }, command);
    });
    this.#batches.set(orgId, { events, acknowledged });
    return acknowledged;
  }

  async #ask(to: Address, command: Command): Promise<boolean> {
    const { log, leaseHeld } = this.#environment;
    const answer = await askUntilAcknowledged(this.#environment, {
      ...{ to, command, mayAct: leaseHeld, failedMessage: 'publish failed' },
    });
    if (answer === null) return false;
    const { id, type } = command;
    const refused = { kind: to.kind, key: to.key, id, command: type, status: answer.status };
    if (answer.status >= 400) log.warn(refused, 'published command was refused');
    return true;
  }
}
