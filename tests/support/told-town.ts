/**
 * Production gateway and actors in a world without faults, told events as drivers tell them: at any
 * moment, side by side, and with an actors' process killed between two.
 */
import assert from 'node:assert/strict';
import type { EntryDocument } from '../../actors/conversation/documents.ts';
import type { NetworkEvent } from '../../shared/network.ts';
import type { Store } from '../../shared/ports.ts';
import type { Provider } from '../../shared/vocabulary.ts';
import { modelStore } from '../fences/model-store.ts';
import { openShop, type Shop } from '../simulation/organization.ts';
import { Town } from '../simulation/town.ts';
import { EPOCH_MS } from '../simulation/world/machine.ts';
import type { Call } from '../simulation/world/processes.ts';
import { takeImmediates } from '../simulation/world/scheduler.ts';

const OPEN_BY_MS = 60_000;
const WITHIN_MS = 60_000;

export class ToldTown {
  readonly town: Town;
  readonly shop: Shop;

  constructor(town: Town, shop: Shop) {
    this.town = town;
    this.shop = shop;
  }

  /** Epoch milliseconds of the world's clock. */
  get now(): number {
    return Math.floor(EPOCH_MS + this.town.scheduler.now);
  }

  /** Tells until it was taken; `at` once for all of the lists, each a webhook of its own. */
  async tell(provider: Provider, ...webhooks: readonly (readonly NetworkEvent[])[]): Promise<void> {
    const { main, shop } = this.shop;
    const address = { id: provider === 'cloud' ? main.id : shop.id, provider };
    await this.#drive(
      Promise.all(webhooks.map((events) => this.town.network.tell(address, events))),
    );
  }

  async call(call: Omit<Call, 'key'>): Promise<Record<string, unknown>> {
    const replied = await this.#drive(this.town.call({ ...call, key: this.shop.account }));
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
    return modelStore(this.town.database);
  }

  entries(): readonly EntryDocument[] {
    return this.town.database.all('entries') as readonly EntryDocument[];
  }

  /** All entries with a message under the network id. */
  named(externalId: string): readonly EntryDocument[] {
    return this.entries().filter(({ message }) => message?.externalId === externalId);
  }

  count(collection: string): number {
    return this.town.database.all(collection).length;
  }

  /** Kills every process of actors; others take over. */
  async restart(): Promise<void> {
    this.town.actors.forEach((_, place) => {
      this.town.killActors(place, 100);
    });
    await this.pass(5_000);
  }

  async pass(ms: number): Promise<void> {
    const { scheduler } = this.town;
    await scheduler.run(scheduler.now + ms, () => false);
  }

  async #drive<T>(work: Promise<T>): Promise<T> {
    const { scheduler } = this.town;
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

/** Runs the test in a world of its own. */
export async function inTown(seed: number, run: (town: ToldTown) => Promise<void>): Promise<void> {
  const town = new Town(seed);
  town.weather.hold();
  const restore = takeImmediates(town.scheduler);
  try {
    await town.scheduler.run(3_000, () =>
      town.actors.every(({ membership }) => membership.complete),
    );
    let shop: Shop | null = null;
    void openShop(town).then((opened) => {
      shop = opened;
    });
    await town.scheduler.run(OPEN_BY_MS, () => shop !== null);
    assert.ok(shop, 'the organization is set up');
    await run(new ToldTown(town, shop));
    assert.deepEqual(town.bugs, []);
  } finally {
    restore();
  }
}
