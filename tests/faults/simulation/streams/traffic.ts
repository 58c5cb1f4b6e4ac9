/** All event streams of one world: their keys, their readers, and what is told of them. */

import { liveStreams } from '../../../../actors/domain/organization/streams.ts';
import type { OrganizationState } from '../../../../actors/domain/organization.ts';
import type { DeliveryDocument } from '../../../../actors/model/subscription.ts';
import { deliveryId } from '../../../../shared/entity-ids.ts';
import type { Ids } from '../../../../shared/ports/ids.ts';
import { streamId } from '../../../../shared/wire/stream-commands.ts';
import type { StreamDelivery, StreamHistory } from '../../checkers/streams-history.ts';
import type { Shop } from '../organization.ts';
import { EPOCH_MS } from '../world/machine.ts';
import { worldIds } from '../world/processes.ts';
import type { SeededRandom } from '../world/seeded-random.ts';
import type { World } from '../world.ts';
import { KeyOperator } from './key-operator.ts';
import { readersRandom, streamsOf } from './plan.ts';
import { StreamReader } from './reader.ts';

export class StreamTraffic {
  readonly #world: World;
  readonly #shop: Shop;
  readonly #random: SeededRandom;
  readonly #operator: KeyOperator;
  readonly #ids: Ids;
  #keys: ReadonlyMap<string, string> = new Map();
  #readers: readonly StreamReader[] = [];

  constructor(world: World, shop: Shop) {
    this.#world = world;
    this.#shop = shop;
    this.#random = readersRandom(world.seed);
    this.#operator = new KeyOperator(world, shop, this.#random.branch());
    this.#ids = worldIds(this.#random.branch(), false);
  }

  get isBusy(): boolean {
    return this.#operator.isBusy || this.#readers.some((reader) => reader.isBusy);
  }

  async open(): Promise<void> {
    const plans = streamsOf(this.#world.seed);
    if (plans.length === 0) return;
    this.#keys = await this.#operator.open(plans);
    const { orgId } = this.#shop;
    this.#readers = plans.map((plan) => {
      const keyId = this.#keys.get(plan.ref) ?? '';
      const id = streamId(this.#ids, { orgId, keyId, name: plan.name });
      const random = this.#random.branch();
      return new StreamReader({ world: this.#world, plan, streamId: id, random });
    });
  }

  start(untilMs: number): void {
    if (this.#readers.length === 0) return;
    for (const reader of this.#readers) reader.start();
    this.#operator.start(this.#readers, this.#keys, untilMs);
  }

  finish(): void {
    for (const reader of this.#readers) reader.finish();
    void this.#operator.finish(this.#readers, this.#keys);
  }

  history(): readonly StreamHistory[] {
    if (this.#readers.length === 0) return [];
    const { database, streamObserver: observer, scheduler } = this.#world;
    const organization = database.byId('organizations', this.#shop.orgId);
    const now = EPOCH_MS + scheduler.now;
    const live = liveStreams(organization as unknown as OrganizationState, now);
    return this.#readers.map(({ streamId: id, plan, ...told }) => ({
      ...{
        id,
        name: plan.name,
        generation: live.find((each) => each.id === id)?.createdAt ?? null,
      },
      ...{ connections: told.connections, openings: told.openings },
      acknowledgements: told.acknowledgements,
      deliveries: this.#deliveriesOf(id),
      begunAt: (observer.begun.get(id) ?? []).map(({ at }) => at),
      reaches: observer.reaches.get(this.#keys.get(plan.ref) ?? '') ?? [],
      dropped: observer.dropped.get(id) ?? [],
    }));
  }

  #deliveriesOf(id: string): readonly StreamDelivery[] {
    const { database, streamObserver: observer } = this.#world;
    const commits = new Map(
      [...observer.committed.values()].map((each) => [deliveryId(this.#ids, each.id, id), each]),
    );
    const found = database.find<DeliveryDocument>('deliveries', { subscriptionId: id });
    return found.map(({ _id, event, body, generation = 0, state }) => ({
      ...{ id: _id, event, body, generation, status: state.status },
      reason: state.attempts.at(-1)?.error ?? null,
      changes: observer.changes.get(_id) ?? [],
      commit: commits.get(_id) ?? null,
    }));
  }
}
