/**
 * The breakers of a second outage on the real engine: its own `$max` decides which write wins.
 * Everything else is in memory, on a clock that the test moves (breaker-record, 4 and 5).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BreakerDocument } from '../../../../../actors/model/subscription.ts';
import { createStore } from '../../../../../infra/adapters/mongo/store.ts';
import {
  answered,
  DeliveryFixture,
  timedOut,
} from '../../../../support/actors/subscription/delivery-fixture.ts';
import { fileEngine } from '../../../../support/engine.ts';
import type { Filter, FindOptions, Store, Stored, Write } from '../../../../support/plain-store.ts';

const BREAKERS = 'breakers';
/** Longer than an idle delivery worker is kept. */
const SILENCE_MS = 75_000;
const EACH = 14;

const engine = fileEngine();

const isOfBreaker = (each: Write): boolean => 'update' in each && each.update === BREAKERS;

/** A fixture whose breakers are on the engine. */
class EngineFixture extends DeliveryFixture {
  readonly real: Store = createStore(engine.mongo);
  #underWay = 0;

  constructor() {
    super();
    const { commit, byId, find } = this.store;
    this.store.commit = async (writes) => {
      const of = Map.groupBy(writes, isOfBreaker);
      const outcomes = await this.#asking(() => this.real.commit(of.get(true) ?? []));
      return [...(await commit(of.get(false) ?? [])), ...outcomes];
    };
    this.store.byId = <T extends Stored>(name: string, id: string) =>
      name === BREAKERS ? this.#asking(() => this.real.byId<T>(name, id)) : byId<T>(name, id);
    this.store.find = <T extends Stored>(name: string, by: Filter, options?: FindOptions) =>
      name === BREAKERS
        ? this.#asking(() => this.real.find<T>(name, by, options))
        : find<T>(name, by, options);
  }

  override async settle(): Promise<void> {
    do await super.settle();
    while (this.#underWay > 0);
  }

  async breaker() {
    return (await this.real.byId<BreakerDocument>(BREAKERS, 'a'))?.state;
  }

  /** The subscriber answers nothing: the breaker opens, and every delivery is parked. */
  async outage(): Promise<void> {
    this.answers = () => timedOut;
    for (let n = 0; n < EACH; n++) this.record('a');
    await this.pass(15_000);
    assert.equal(this.deliveries('parked').length, EACH);
  }

  async mend(): Promise<void> {
    this.answers = () => answered(200);
    await this.pass(180_000);
    assert.equal(this.deliveries('succeeded').length, this.deliveries().length);
  }

  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await ask();
    } finally {
      this.#underWay--;
    }
  }
}

test('what a second outage parks after a silence is delivered by the next owner', async () => {
  const fixture = new EngineFixture();
  fixture.subscription('a');
  await fixture.ownForLong();
  await fixture.outage();
  await fixture.mend();
  const closed = await fixture.breaker();
  assert.equal(closed?.active, false);
  await fixture.pass(SILENCE_MS);
  await fixture.outage();
  const open = await fixture.breaker();
  assert.deepEqual([open?.active, open?.epoch], [true, closed?.epoch]);
  assert.ok((open?.revision ?? 0) > (closed?.revision ?? 0), 'the same owner, a later revision');
  await fixture.own();
  await fixture.mend();
  assert.equal(fixture.deliveries().length, 2 * EACH);
  assert.equal((await fixture.breaker())?.active, false);
});
