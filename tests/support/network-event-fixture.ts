/**
 * Production gateway and actors in a world without faults, with events as drivers report them.
 * Events come at any moment, side by side, and with an actors' process killed between two.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntryDocument } from '../../actors/model/conversation.ts';
import type { NetworkEvent } from '../../shared/ports/network-event.ts';
import type { Provider } from '../../shared/vocabulary.ts';
import { modelStore } from '../faults/fencing/model-store.ts';
import { openShop, type Shop } from '../faults/simulation/organization.ts';
import { EPOCH_MS } from '../faults/simulation/world/machine.ts';
import type { Call } from '../faults/simulation/world/processes.ts';
import { takeImmediates } from '../faults/simulation/world/scheduler.ts';
import { World } from '../faults/simulation/world.ts';
import type { Store } from './plain-store.ts';

const OPEN_BY_MS = 60_000;
const WITHIN_MS = 60_000;

export class NetworkEventFixture {
  readonly world: World;
  readonly shop: Shop;

  constructor(world: World, shop: Shop) {
    this.world = world;
    this.shop = shop;
  }

  /** Epoch milliseconds of the world's clock. */
  get now(): number {
    return Math.floor(EPOCH_MS + this.world.scheduler.now);
  }

  /** Tells until it was taken; `at` once for all of the lists, each a webhook of its own. */
  async deliver(
    provider: Provider,
    ...webhooks: readonly (readonly NetworkEvent[])[]
  ): Promise<void> {
    const { main, shop } = this.shop;
    const address = { id: provider === 'cloud' ? main.id : shop.id, provider };
    await this.#drive(
      Promise.all(webhooks.map((events) => this.world.network.deliver(address, events))),
    );
  }

  async call(call: Omit<Call, 'key'>): Promise<Record<string, unknown>> {
    const replied = await this.#drive(this.world.call({ ...call, key: this.shop.account }));
    assert.ok(replied && replied.status < 300, replied?.body);
    return JSON.parse(replied.body);
  }

  /** As the API shows it, oldest first. */
  async history(conversationId: string): Promise<Record<string, unknown>[]> {
    const path = `/api/v1/messages?conversationId=${conversationId}&limit=200`;
    const { data } = await this.call({ method: 'GET', path });
    return (data as Record<string, unknown>[]).reverse();
  }

  async conversation(id: string): Promise<Record<string, unknown>> {
    const { data } = await this.call({ method: 'GET', path: '/api/v1/conversations?limit=200' });
    const found = (data as Record<string, unknown>[]).find((each) => each.id === id);
    assert.ok(found);
    return found;
  }

  /** The record, as processes read and write it. */
  get store(): Store {
    return modelStore(this.world.database);
  }

  entries(): readonly EntryDocument[] {
    return this.world.database.all('entries') as readonly EntryDocument[];
  }

  /** All entries with a message under the network id. */
  named(externalId: string): readonly EntryDocument[] {
    return this.entries().filter(({ message }) => message?.externalId === externalId);
  }

  count(collection: string): number {
    return this.world.database.all(collection).length;
  }

  /** Kills every process of actors; others take over. */
  async restart(): Promise<void> {
    this.world.actors.forEach((_, place) => {
      this.world.killActors(place, 100);
    });
    await this.pass(5_000);
  }

  async pass(ms: number): Promise<void> {
    const { scheduler } = this.world;
    await scheduler.run(scheduler.now + ms, () => false);
  }

  async #drive<T>(work: Promise<T>): Promise<T> {
    const { scheduler } = this.world;
    let ended = false;
    const end = (): void => {
      ended = true;
    };
    work.then(end, end);
    await scheduler.run(scheduler.now + WITHIN_MS, () => ended);
    assert.ok(ended, 'it ends within a minute');
    return work;
  }
}

/** A test in a world of its own, whose seed does not matter. */
export function testEvents(
  title: string,
  run: (fixture: NetworkEventFixture) => Promise<void>,
): void {
  test(title, () => withNetworkEventFixture(2, run));
}

/** Runs the test in a world of its own. */
export async function withNetworkEventFixture(
  seed: number,
  run: (fixture: NetworkEventFixture) => Promise<void>,
): Promise<void> {
  const world = new World(seed);
  world.faults.pause();
  const restore = takeImmediates(world.scheduler);
  try {
    await world.scheduler.run(3_000, () =>
      world.actors.every(({ membership }) => membership.complete),
    );
    let shop: Shop | null = null;
    void openShop(world).then((opened) => {
      shop = opened;
    });
    await world.scheduler.run(OPEN_BY_MS, () => shop !== null);
    assert.ok(shop, 'the organization is set up');
    await run(new NetworkEventFixture(world, shop));
    assert.deepEqual(world.bugs, []);
  } finally {
    restore();
  }
}
