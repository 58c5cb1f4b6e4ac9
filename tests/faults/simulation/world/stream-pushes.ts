/** Pushes of event streams between machines: lost, late or doubled, as everything on the bus. */
import type { StreamListener, StreamPublisher } from '../../../../shared/ports/streams.ts';
import type { PushedPage } from '../../../../shared/wire/stream-commands.ts';
import type { Machine } from './machine.ts';
import type { Scheduler } from './scheduler.ts';
import { copied, type Listener, listen, SimulatedBus } from './simulated-bus.ts';

interface Pushed {
  readonly page: PushedPage;
  readonly sentAt: number;
}

export class StreamPushes {
  readonly #scheduler: Scheduler;
  readonly #bus: SimulatedBus;
  readonly #listeners = new Map<string, Listener<Pushed>[]>();
  /** When the delivery of a position was last pushed to a machine. */
  readonly #heard = new Map<string, { readonly sentAt: number; readonly heardAt: number }>();

  constructor(scheduler: Scheduler, bus: SimulatedBus) {
    this.#scheduler = scheduler;
    this.#bus = bus;
  }

  publisherFor(machine: Machine): StreamPublisher {
    return {
      push: (streamId, page) => {
        const pushed = { page: copied(page), sentAt: this.#scheduler.now };
        for (const each of SimulatedBus.living(this.#listeners.get(streamId))) {
          this.#bus.transmit(machine, each.machine, () => each.receive(pushed));
        }
      },
    };
  }

  listenerFor(machine: Machine): StreamListener {
    return {
      listen: (streamId, onPush) => {
        const receive = ({ page, sentAt }: Pushed): void => {
          const heardAt = this.#scheduler.now;
          for (const { position } of page.deliveries) {
            this.#heard.set(keyOf(machine, streamId, position), { sentAt, heardAt });
          }
          onPush(page);
        };
        return listen(this.#listeners, streamId, { machine, receive });
      },
    };
  }

  /** When the machine heard a push of this position, and when that was sent; null: never. */
  heardBy(machine: Machine, streamId: string, position: number) {
    return this.#heard.get(keyOf(machine, streamId, position)) ?? null;
  }
}

function keyOf({ name }: Machine, streamId: string, position: number): string {
  return `${name} ${streamId} ${position}`;
}
