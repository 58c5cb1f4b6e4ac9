/**
 * Hands on what a committed document says must follow from it: events to the organization's
 * fan-out, commands to their actors. At least once: every item has a derived id.
 *
 * 1. A command is marked as lasting: it may be published again a day later.
 * 2. It goes on trying until the item is taken or this process may act no more; then whoever owns
 *    the partition next finds the item in the document.
 * 3. The events of one organization that wait at the same moment travel together.
 * 4. At most `RELAYED_EVENTS_MAX` events are on their way: turns of conversations wait for room.
 *    Turns of organizations never do, so what is on its way gets there.
 */
import { ASK_DEADLINE_MS, RELAYED_EVENTS_MAX } from '../../shared/limits.ts';
import type { OutboxEvent, OutboxItem } from '../../shared/outbox.ts';
import type { Address, Command } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import { fanOut } from './fan-out.ts';

const RETRY_MS = 200;
const EVENTS_PER_ASK = 200;

interface Batch {
  readonly events: OutboxEvent[];
  readonly done: Promise<boolean>;
}

type RelayWorld = Pick<World, 'bus' | 'clock' | 'ids' | 'log' | 'leaseHeld'>;

export class Relay {
  readonly #world: RelayWorld;
  readonly #eventsMax: number;
  readonly #gathering = new Map<string, Batch>();
  #eventsUnderWay = 0;
  /** Resolved when some of what is on its way has been taken. */
  #less = Promise.withResolvers<void>();

  constructor(world: RelayWorld, eventsMax = RELAYED_EVENTS_MAX) {
    this.#world = world;
    this.#eventsMax = eventsMax;
  }

  get hasRoom(): boolean {
    return this.#eventsUnderWay < this.#eventsMax;
  }

  /** Resolves when there is room for an event, or this process may act no more. */
  async room(): Promise<void> {
    while (!this.hasRoom && this.#world.leaseHeld()) await this.#less.promise;
  }

  /** True when everything was taken; false when this process may act no more. */
  async publish(orgId: string, items: readonly OutboxItem[]): Promise<boolean> {
    const taken = await Promise.all(
      items.map((item) =>
        item.type === 'event'
          ? this.#counted(() => this.#gather(orgId, item))
          : this.#insist(item.to, { ...item.command, lasting: true }),
      ),
    );
    return taken.every(Boolean);
  }

  async #counted(publish: () => Promise<boolean>): Promise<boolean> {
    this.#eventsUnderWay++;
    try {
      return await publish();
    } finally {
      this.#eventsUnderWay--;
      this.#less.resolve();
      this.#less = Promise.withResolvers<void>();
    }
  }

  #gather(orgId: string, event: OutboxEvent): Promise<boolean> {
    const open = this.#gathering.get(orgId);
    if (open && open.events.length < EVENTS_PER_ASK) {
      open.events.push(event);
      return open.done;
    }
    const events = [event];
    const done = new Promise<void>((resume) => setImmediate(resume)).then(() => {
      if (this.#gathering.get(orgId)?.events === events) this.#gathering.delete(orgId);
      const command = fanOut(this.#world.ids.fresh('fan'), orgId, events);
      return this.#insist({ kind: 'organization', key: orgId }, command);
    });
    this.#gathering.set(orgId, { events, done });
    return done;
  }

  async #insist(to: Address, command: Command): Promise<boolean> {
    const { bus, clock, log, leaseHeld } = this.#world;
    while (leaseHeld()) {
      try {
        const answer = await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
        // A refusal is an answer too: the other actor has judged, asking again changes nothing.
        if (answer.status < 500) {
          const { id, type } = command;
          const refused = { kind: to.kind, key: to.key, id, command: type, status: answer.status };
          if (answer.status >= 400) log.warn(refused, 'handed-on command was refused');
          return true;
        }
        log.warn({ kind: to.kind, command: command.type, status: answer.status }, 'hand-on failed');
      } catch (cause) {
        log.warn(
          { kind: to.kind, command: command.type, error: describe(cause) },
          'hand-on failed',
        );
      }
      await new Promise<void>((resume) => clock.after(RETRY_MS, resume));
    }
    return false;
  }
}
