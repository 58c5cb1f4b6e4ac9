/**
 * The schedule of a lost answer, on real gateways and real actors in virtual time. A keyed move is
 * committed, its gateway dies, another caller moves on, and 31 s later the call is made again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store, Write } from '../../support/plain-store.ts';
import { openShop } from '../simulation/organization.ts';
import { takeImmediates } from '../simulation/world/scheduler.ts';
import { World } from '../simulation/world.ts';

const LOST_FOR_MS = 31_000;
const HOUR_MS = 60 * 60 * 1000;
const ANSWERS_WITHIN_MS = 60_000;

const isMove = (write: Write): boolean =>
  'update' in write && write.update === 'deals' && JSON.stringify(write.change).includes('stageId');

class Fixture {
  /** Kills every gateway as soon as a move of a deal is journaled. */
  #armed = false;
  readonly world: World;
  key = '';

  constructor(seed: number) {
    this.world = new World(seed, { watch: (store) => this.#watched(store) });
    this.world.faults.pause();
  }

  #watched(store: Store): Store {
    const commit: Store['commit'] = async (writes, options) => {
      const outcomes = await store.commit(writes, options);
      if (this.#armed && writes.some(isMove)) {
        this.#armed = false;
        for (const place of this.world.gateways.keys()) this.world.killGateway(place, 100);
      }
      return outcomes;
    };
    return { ...store, commit };
  }

  /** Runs the world until the work is done. */
  async drive<T>(work: Promise<T>): Promise<T> {
    const { scheduler } = this.world;
    let ended = false;
    const done = work.finally(() => {
      ended = true;
    });
    await scheduler.run(scheduler.now + ANSWERS_WITHIN_MS, () => ended);
    assert.ok(ended, 'the work ends in time');
    return done;
  }

  pass(ms: number): Promise<void> {
    const { scheduler } = this.world;
    return scheduler.run(scheduler.now + ms, () => false);
  }

  /** @param once the `Idempotency-Key`, if any */
  async post(path: string, body: unknown, once?: string) {
    const replied = await this.#call(path, body, once);
    assert.ok(replied !== null, `${path} is answered`);
    return { status: replied.status, data: JSON.parse(replied.body).data };
  }

  async losing(path: string, body: unknown, once: string): Promise<void> {
    this.#armed = true;
    assert.equal(await this.#call(path, body, once), null, 'its answer reaches nobody');
    assert.ok(!this.#armed, 'it was committed');
  }

  #call(path: string, body: unknown, once?: string) {
    const headers = once === undefined ? {} : { 'idempotency-key': once };
    const to = { method: 'POST', path: `/api/v1/${path}`, key: this.key } as const;
    return this.drive(this.world.call({ ...to, body, headers }));
  }

  moves(dealId: string): readonly string[] {
    const told = this.world.database.all('deliveries').map(({ body }) => JSON.parse(String(body)));
    return told
      .filter(({ event, data }) => event === 'deal.stage_changed' && data.deal.id === dealId)
      .map(({ data }) => data.toStageId);
  }
}

async function play(fixture: Fixture, lostForMs: number): Promise<void> {
  const { world } = fixture;
  await world.scheduler.run(3_000, () =>
    world.actors.every(({ membership }) => membership.complete),
  );
  fixture.key = (await fixture.drive(openShop(world))).account;
  await fixture.post('contacts', { phone: '5511987650001', name: 'Ana' });
  const deal = { phone: '5511987650001', title: 'Plano' };
  const { id, pipelineId } = (await fixture.post('deals', deal)).data;
  const [state] = world.database.all('organizations');
  const { stages } = Object(state).pipelines.find((each: { id: string }) => each.id === pipelineId);
  const [, second, third] = stages.map((stage: { id: string }) => stage.id);
  await fixture.losing(`deals/${id}`, { stageId: second }, 'once');
  await fixture.pass(lostForMs);
  assert.equal((await fixture.post(`deals/${id}`, { stageId: third })).status, 200);
  const again = await fixture.post(`deals/${id}`, { stageId: second }, 'once');
  assert.deepEqual([again.status, again.data.stageId], [200, third], 'told as it is');
  await fixture.pass(5_000);
  const moves = fixture.moves(id).toSorted();
  assert.deepEqual(moves, [second, third].sort(), 'one event for each move');
  const stored = world.database.byId('deals', id);
  assert.equal(Object(stored).state.stageId, third);
  assert.deepEqual(world.bugs, []);
}

for (const [what, ms] of [
  ['31 s', LOST_FOR_MS],
  ['an hour', HOUR_MS],
] as const) {
  test(`a keyed move whose answer was lost, made again ${what} later, moves nothing`, async () => {
    const fixture = new Fixture(2);
    const restore = takeImmediates(fixture.world.scheduler);
    try {
      await play(fixture, ms);
    } finally {
      restore();
    }
  });
}
