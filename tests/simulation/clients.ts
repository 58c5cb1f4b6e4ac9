/**
 * The clients of a world: each makes one call after the other, of every kind, so that they get into
 * each other's way.
 */
import { OPERATIONS, type Operation } from './coverage.ts';
import { type Asked, outcomeOf } from './history.ts';
import { type Order, Orders } from './orders.ts';
import type { Shop } from './organization.ts';
import type { Town } from './town.ts';
import type { Replied } from './world/processes.ts';
import type { Seeded } from './world/seeded.ts';

const CLIENTS = 4;
/** What else is done than sending. */
const SEND_SHARE = 0.35;

export class Clients {
  readonly history: Asked[] = [];
  readonly #town: Town;
  readonly #orders: Orders;
  #open = 0;

  constructor(town: Town, shop: Shop) {
    this.#town = town;
    this.#orders = new Orders(town, shop);
  }

  get busy(): boolean {
    return this.#open > 0;
  }

  start(untilMs: number): void {
    for (let client = 0; client < CLIENTS; client++) {
      void this.#work(client, this.#town.chance.branch(), untilMs);
    }
  }

  async #work(client: number, chance: Seeded, untilMs: number): Promise<void> {
    const { scheduler } = this.#town;
    this.#open += 1;
    while (scheduler.now < untilMs) {
      const name = chance.happens(SEND_SHARE) ? 'send' : chance.pick(OPERATIONS);
      await this.carryOut(name, client, chance);
      await scheduler.pause(chance.around(350));
    }
    this.#open -= 1;
  }

  async carryOut(operation: Operation, client: number, chance: Seeded): Promise<void> {
    const order = this.#orders.make(operation, chance);
    if (!order) return;
    const { scheduler, coverage, story } = this.#town;
    const startedAt = scheduler.now;
    let replied = await this.#ask(order);
    let tried = 0;
    coverage.count(`operation ${operation}`);
    if (operation === 'send-once') {
      // A careful integrator repeats under the same key until somebody says what became of it.
      for (; tried < 3 && (replied === null || replied.status >= 500); tried++) {
        coverage.count('happening lost idempotent call repeated');
        await scheduler.pause(chance.around(1_500));
        replied = await this.#ask(order);
      }
    }
    // A refusal speaks for the last try only: an earlier one may have happened.
    const refusedAfterAll = tried > 0 && outcomeOf(replied?.status ?? 0) === 'refused';
    const status = refusedAfterAll ? 0 : (replied?.status ?? 0);
    const asked: Asked = {
      operation,
      client,
      key: order.call?.key ?? null,
      startedAt,
      endedAt: scheduler.now,
      outcome: outcomeOf(status),
      status,
      wish: order.wish,
      said: parsed(replied),
    };
    story.tell(`client${client}`, `${operation} ${JSON.stringify(order.wish)}: ${status}`);
    this.history.push(asked);
    if (asked.outcome === 'refused') coverage.count(`refusal ${status}`);
    this.#orders.learn(asked);
  }

  async #ask(order: Order): Promise<Replied | null> {
    try {
      if (order.run) return await order.run();
      return order.call ? await this.#town.call(order.call) : null;
    } catch {
      // A command line whose ask was not answered: it may have happened.
      return null;
    }
  }
}

function parsed(replied: Replied | null): Asked['said'] {
  if (!replied?.body.startsWith('{')) return null;
  return JSON.parse(replied.body) as Asked['said'];
}
