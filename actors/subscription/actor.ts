/** Actor of one subscription. Attempts run in the `DeliveryWorker`, outside of the mailbox. */

import { deliveryId } from '../../shared/entity-ids.ts';
import { TEST_EVENT } from '../../shared/events.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { Actor, TurnContext } from '../runtime/actor.ts';
import type { RetryCommand } from './commands.ts';
import { ConfigurationSource } from './configuration.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import { type DeliveryDocument, recordedState } from './documents.ts';
import { SubscriptionCache } from './subscription-cache.ts';

const RETRY_PAGE = 1_000;
/** Time to write a page and to return the answer. */
const RETRY_SPARE_MS = 2_000;

export class SubscriptionActor implements Actor {
  readonly #id: string;
  readonly #environment: Environment;
  readonly #worker: () => Promise<DeliveryWorker>;

  constructor(id: string, environment: Environment, worker: () => Promise<DeliveryWorker>) {
    this.#id = id;
    this.#environment = environment;
    this.#worker = worker;
  }

  async turn(command: Command, context: TurnContext): Promise<Answer> {
    switch (command.type) {
      case 'retry':
        return this.#retry(command as RetryCommand, context);
      case 'test':
        return this.#test(command);
      case 'configure':
        (await this.#worker()).reconfigure();
        return found({});
      default:
        throw new TypeError(`a subscription knows no command ${command.type}`);
    }
  }

  async #retry(command: RetryCommand, { deadline }: TurnContext): Promise<Answer> {
    const { deliveryIds } = command;
    const { store, clock } = this.#environment;
    const worker = await this.#worker();
    if (deliveryIds) {
      const filter = { subscriptionId: this.#id, _id: { $in: deliveryIds } };
      const { retried } = await worker.retry(() => store.find('deliveries', filter));
      return found({ retried, nextSince: null });
    }
    const until = command.until ?? clock.now();
    let retried = 0;
    let after: DeliveryDocument | null = null;
    do {
      const filter: Record<string, unknown> = {
        subscriptionId: this.#id,
        'state.status': { $in: ['failed', 'parked'] },
        createdAt: { $gte: after?.createdAt ?? command.since ?? 0, $lte: until },
      };
      const page: { found: readonly DeliveryDocument[]; retried: number } = await worker.retry(() =>
        store.find('deliveries', filter, {
          sort: { createdAt: 1, _id: 1 },
          limit: RETRY_PAGE,
        }),
      );
      retried += page.retried;
      // Retried deliveries no longer match the filter: the next page starts after them.
      if (page.found.length < RETRY_PAGE) return found({ retried, nextSince: null });
      after = page.found.at(-1) ?? null;
    } while (clock.now() < deadline - RETRY_SPARE_MS);
    return found({ retried, nextSince: after?.createdAt ?? null });
  }

  async #test(command: Command): Promise<Answer> {
    const { clock, ids } = this.#environment;
    // A test is manual and rare: a cache of its own reads the present configuration.
    const cache = new SubscriptionCache(this.#environment);
    const configuration = await new ConfigurationSource(this.#environment, cache, this.#id).read();
    if (!configuration) return { status: 404, body: '{"error":"There is no such subscription."}' };
    const now = clock.now();
    const data = { subscriptionId: this.#id, occurredAt: timestamp(now), origin: 'panel' };
    const delivery: DeliveryDocument = {
      _id: deliveryId(ids, command.id, this.#id),
      orgId: configuration.orgId,
      subscriptionId: this.#id,
      partition: partitionOf('subscription', this.#id),
      event: TEST_EVENT,
      body: JSON.stringify({ event: TEST_EVENT, data }),
      createdAt: now,
      // One attempt, as in a manual retry: the breaker does not stop it, and it is not repeated.
      state: {
        ...recordedState(now, 'pending'),
        byHand: { status: 'failed', nextAttemptAt: null },
      },
    };
    await (await this.#worker()).send(delivery);
    return found({ deliveryId: delivery._id });
  }
}

function found(body: unknown): Answer {
  return { status: 200, body: JSON.stringify(body) };
}
