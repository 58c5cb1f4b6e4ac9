/** One subscription as the runtime sees it; attempts are made beside the mailbox, at the desk. */
import type { Answer, Command } from '../../shared/ports.ts';
import { decideManualRetry } from '../domain/delivery.ts';
import type { Actor } from '../runtime/actor.ts';
import type { World } from '../world.ts';
import type { SubscriptionDesk } from './desk.ts';
import { changed, type DeliveryDocument, deliveryWrite } from './documents.ts';

/** By ids, or all that failed or were parked in a range of time (epoch milliseconds). */
export interface RetryCommand extends Command {
  readonly type: 'retry';
  readonly deliveryIds?: readonly string[];
  readonly since?: number;
  readonly until?: number;
}

const RETRY_MAX = 10_000;

export class SubscriptionActor implements Actor {
  readonly #id: string;
  readonly #world: World;
  readonly #desk: SubscriptionDesk;

  constructor(id: string, world: World, desk: SubscriptionDesk) {
    this.#id = id;
    this.#world = world;
    this.#desk = desk;
  }

  turn(command: Command): Promise<Answer> {
    if (command.type === 'retry') return this.#retry(command as RetryCommand);
    throw new TypeError(`a subscription knows no command ${command.type}`);
  }

  busy(): boolean {
    return this.#desk.busy;
  }

  async #retry(command: RetryCommand): Promise<Answer> {
    const { store, clock } = this.#world;
    const now = clock.now();
    const wanted = command.deliveryIds
      ? { _id: { $in: command.deliveryIds } }
      : {
          status: { $in: ['failed', 'parked'] },
          createdAt: { $gte: command.since ?? 0, $lte: command.until ?? now },
        };
    const found = await store.find<DeliveryDocument>(
      'deliveries',
      { subscriptionId: this.#id, ...wanted },
      { sort: { createdAt: -1, _id: -1 }, limit: RETRY_MAX },
    );
    const retries = found.flatMap((delivery) => {
      const next = decideManualRetry(delivery, now);
      return next ? [{ delivery, next }] : [];
    });
    const outcomes = await store.commit(
      retries.map(({ delivery, next }) => deliveryWrite(delivery, next)),
    );
    let retried = 0;
    retries.forEach(({ delivery, next }, index) => {
      if (outcomes[index]?.ok !== true) return;
      retried++;
      this.#desk.add(changed(delivery, next));
    });
    return { status: 200, body: JSON.stringify({ retried }) };
  }
}
