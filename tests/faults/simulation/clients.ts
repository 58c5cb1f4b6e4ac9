/**
 * The clients of a world: each makes one call after the other, of every kind, so that their calls
 * conflict. Clients of slow worlds work in bursts, and repeat calls under a key late.
 */

import type { Call } from '../checkers/history.ts';
import { isBusy } from './busy-shops.ts';
import { callOf, type Try } from './calls.ts';
import { campaignsIn } from './campaigns.ts';
import {
  DESK_OPERATIONS,
  KEYED_OPERATIONS,
  OPERATIONS,
  type Operation,
  SCHEDULED_OPERATIONS,
  SLOW_OPERATIONS,
  TEMPLATE_OPERATIONS,
} from './coverage.ts';
import type { Order } from './order.ts';
import { Orders } from './orders.ts';
import type { Shop } from './organization.ts';
import type { Replied } from './world/processes.ts';
import type { SeededRandom } from './world/seeded-random.ts';
import type { Burst, SlowPlan, Theme } from './world/slow-time.ts';
import type { World } from './world.ts';

const CLIENTS = 4;
/** At the desk of a busy shop. */
const DESK = 50;
/** Calls of campaigns are made by callers from this one on. */
const FIRST_OF_CAMPAIGNS = 100;
/** Share of sends among the calls. */
const SEND_SHARE = 0.35;
/** Share of those with a time among them. */
const SCHEDULED_SHARE = 0.25;
/** Repeats come later than this: a command's answer is kept with what it changed until then. */
const KEPT_MS = 30_000;
const LATE_MS = { least: 32_000, most: 91_000, last: 150_000 };
const LATE_TRIES = 4;
/** Lists right after a process has lost its lease: its partitions are about to be taken. */
const LISTS_AT_LOST_LEASE = 3;
const REJOINED_WITHIN_MS = 700;
/** A reader of lists begins with a burst and goes on after it. */
const READS_ON_MS = 6_000;

/** More often than others: what needs something that was made before, or an opt-out near it. */
const FREQUENT = ['flow-start', 'deal-create', 'deal-change'] as const;
const FAST: readonly Operation[] = [...OPERATIONS, ...KEYED_OPERATIONS, ...FREQUENT];
const READS: readonly Operation[] = ['list-messages', 'list-conversations'];
const RECORDS: readonly Operation[] = [
  ...(['contact', 'deal-create', 'deal-change', 'task-create', 'task-change'] as const),
  ...SLOW_OPERATIONS,
  ...SLOW_OPERATIONS,
  ...READS,
];
const MESSAGES: readonly Operation[] = [
  ...(['send', 'send-once', 'send-by-conversation', 'inbound-webhook', 'network-message'] as const),
  ...(['reply', 'note', 'flow-start', 'network-media', 'send-file', 'send-url'] as const),
  ...SCHEDULED_OPERATIONS,
  ...TEMPLATE_OPERATIONS,
];
const OF_THEME: Readonly<Record<Theme, readonly Operation[]>> = {
  all: [...OPERATIONS, ...SLOW_OPERATIONS],
  talks: MESSAGES,
  records: RECORDS,
  reads: READS,
};

export class Clients {
  readonly history: Call[] = [];
  readonly #world: World;
  readonly #orders: Orders;
  #open = 0;

  constructor(world: World, shop: Shop) {
    this.#world = world;
    this.#orders = new Orders(world, shop);
  }

  get busy(): boolean {
    return this.#open > 0;
  }

  start(untilMs: number): void {
    for (let client = 0; client < CLIENTS; client++) {
      void this.#work(client, this.#world.random.branch(), untilMs);
    }
    if (!isBusy(this.#world.seed)) return;
    this.#startCampaigns([{ until: untilMs }]);
    void this.#atDesk(this.#world.random.branch(), untilMs);
  }

  /** Bursts, readers of lists beside them, and lists while a process cannot write. */
  startSlowly({ bursts, lostStores }: SlowPlan, until: number): void {
    const { random, scheduler } = this.#world;
    const lists = random.branch();
    for (const at of lostStores.flatMap(({ readsAt }) => readsAt)) {
      scheduler.after(at - scheduler.now, () => void this.#list(lists));
    }
    this.#world.onLeaseLost = () => {
      if (scheduler.now > until) return;
      for (let list = 0; list < LISTS_AT_LOST_LEASE; list++) {
        scheduler.after(lists.between(0, REJOINED_WITHIN_MS), () => void this.#list(lists));
      }
    };
    for (let client = 0; client <= CLIENTS; client++) {
      const own = random.branch();
      for (const burst of bursts) {
        scheduler.after(burst.from - scheduler.now, () => {
          void (client < CLIENTS ? this.#burst(client, own, burst) : this.#read(own, burst));
        });
      }
    }
    if (!isBusy(this.#world.seed)) return;
    this.#startCampaigns(bursts);
    const desk = random.branch();
    for (const { from, until } of bursts) {
      scheduler.after(from - scheduler.now, () => void this.#atDesk(desk, until));
    }
  }

  /** In each of these times, which begin now unless they say when. */
  #startCampaigns(times: readonly { readonly from?: number; readonly until: number }[]): void {
    const { random, scheduler } = this.#world;
    const own = random.branch();
    let client = FIRST_OF_CAMPAIGNS;
    for (const { from = scheduler.now, until } of times) {
      for (const { at, operation } of campaignsIn(own, from, until)) {
        const caller = client++;
        scheduler.after(at - scheduler.now, () => void this.#once(operation, caller, own));
      }
    }
  }

  async #once(operation: Operation, client: number, random: SeededRandom): Promise<void> {
    this.#open += 1;
    await this.carryOut(operation, client, random);
    this.#open -= 1;
  }

  async #work(client: number, random: SeededRandom, untilMs: number): Promise<void> {
    const { scheduler } = this.#world;
    this.#open += 1;
    while (scheduler.now < untilMs) {
      const name = random.happens(SEND_SHARE) ? aSend(random) : random.pick(FAST);
      await this.carryOut(name, client, random);
      await scheduler.pause(random.around(350));
    }
    this.#open -= 1;
  }

  async #atDesk(random: SeededRandom, untilMs: number): Promise<void> {
    const { scheduler } = this.#world;
    this.#open += 1;
    while (scheduler.now < untilMs) {
      await this.carryOut(random.pick(DESK_OPERATIONS), DESK, random);
      await scheduler.pause(random.around(200));
    }
    this.#open -= 1;
  }

  async #burst(client: number, random: SeededRandom, { until, theme }: Burst): Promise<void> {
    const { scheduler } = this.#world;
    const sends = theme === 'all' || theme === 'talks' ? SEND_SHARE : 0;
    this.#open += 1;
    while (scheduler.now < until) {
      const name = random.happens(sends) ? aSend(random) : random.pick(OF_THEME[theme]);
      await this.carryOut(name, client, random);
      await scheduler.pause(random.around(350));
    }
    this.#open -= 1;
  }

  async #list(random: SeededRandom): Promise<void> {
    await this.#once('list-conversations', CLIENTS, random);
  }

  async #read(random: SeededRandom, { until, listEveryMs }: Burst): Promise<void> {
    const { scheduler } = this.#world;
    if (listEveryMs === null) return;
    this.#open += 1;
    while (scheduler.now < until + READS_ON_MS) {
      await this.carryOut('list-conversations', CLIENTS, random);
      await scheduler.pause(random.around(listEveryMs));
    }
    this.#open -= 1;
  }

  async carryOut(operation: Operation, client: number, random: SeededRandom): Promise<void> {
    const order = this.#orders.make(operation, random);
    if (!order) return;
    const { scheduler, coverage } = this.#world;
    const startedAt = scheduler.now;
    let replied = await this.#ask(order);
    let repeats = 0;
    coverage.count(`operation ${operation}`);
    const first = { operation, client, order, startedAt };
    if (this.#world.slow && order.call?.headers && isUnknown(replied)) {
      void this.#repeatLate(first, random);
      return;
    }
    if (order.call?.headers) {
      // A careful integrator repeats under the same key until an answer reports the outcome.
      for (; repeats < 3 && isUnknown(replied); repeats++) {
        coverage.count('happening lost idempotent call repeated');
        await scheduler.pause(random.around(1_500));
        await this.#rival(order, client);
        replied = await this.#ask(order);
      }
    }
    this.#record({ ...first, replied, repeats });
  }

  /** Repeats after more than 30 s, and after another caller's change of the same entity. */
  async #repeatLate(first: Omit<Try, 'replied' | 'repeats'>, random: SeededRandom): Promise<void> {
    const { scheduler, coverage } = this.#world;
    const { order, client } = first;
    let replied: Replied | null = null;
    let repeats = 0;
    this.#open += 1;
    for (; repeats < LATE_TRIES && isUnknown(replied); repeats++) {
      const most = repeats === 0 ? LATE_MS.most : LATE_MS.last;
      const waitMs = random.between(LATE_MS.least, most);
      const againAt = scheduler.now + waitMs;
      await scheduler.pause(random.between(KEPT_MS, waitMs));
      await this.#rival(order, client);
      await scheduler.pause(againAt - scheduler.now);
      coverage.count('happening lost keyed call repeated late');
      replied = await this.#ask(order);
    }
    this.#record({ ...first, replied, repeats });
    this.#open -= 1;
  }

  async #rival({ rival }: Order, client: number): Promise<void> {
    if (!rival) return;
    const { operation, order } = rival();
    const startedAt = this.#world.scheduler.now;
    const replied = await this.#ask(order);
    this.#record({ operation, client, order, startedAt, replied, repeats: 0 });
  }

  #record(tried: Try): void {
    const { scheduler, coverage, trace } = this.#world;
    const { operation, client, order } = tried;
    const call = callOf(tried, scheduler.now);
    const { status } = call;
    trace.record(`client${client}`, `${operation} ${JSON.stringify(order.request)}: ${status}`);
    this.history.push(call);
    if (call.outcome === 'refused') coverage.count(`refusal ${status}`);
    this.#orders.learn(operation, order.request, call);
  }

  async #ask(order: Order): Promise<Replied | null> {
    try {
      if (order.run) return await order.run();
      return order.call ? await this.#world.call(order.call) : null;
    } catch {
      // A command line whose ask was not answered: it may have happened.
      return null;
    }
  }
}

function aSend(random: SeededRandom): Operation {
  return random.happens(SCHEDULED_SHARE) ? 'schedule' : 'send';
}

/** No answer has reported the outcome. */
function isUnknown(replied: Replied | null): boolean {
  return replied === null || replied.status >= 500;
}
