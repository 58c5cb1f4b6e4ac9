/** The pure parts of a delivery worker: its queue, and what it may do next (D381). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeliveryDocument } from '../../../../../actors/model/subscription.ts';
import {
  DeliveryQueue,
  LOW_WATER,
  type ReadyDelivery,
} from '../../../../../actors/subscription/deliveries/queue.ts';
import { recordedState } from '../../../../../actors/subscription/deliveries/recorded-delivery.ts';
import {
  nextWakeMs,
  WorkerState,
} from '../../../../../actors/subscription/deliveries/worker-state.ts';
import { withRuns } from '../../../../support/property.ts';

const MOMENTS = 20;
const QUEUED_MAX = 1_000;
const MANY = 1_200;

function delivery(id: number, revision = 1, nextAttemptAt = 0): DeliveryDocument {
  const state = { ...recordedState(0, 'pending'), epoch: 1, revision, nextAttemptAt };
  const of = { orgId: 'org', subscriptionId: 'sub', partition: 0, event: 'message.received' };
  return { _id: `dlv_${id}`, ...of, body: '{}', createdAt: 0, state };
}

type Place = 'waiting' | 'ready' | 'in flight';

/** What a queue should hold. */
class Model {
  readonly queue = new DeliveryQueue();
  readonly #known = new Map<string, { readonly place: Place; readonly latest: DeliveryDocument }>();

  #placesOf(place: Place): number {
    return [...this.#known.values()].filter((each) => each.place === place).length;
  }

  #move(latest: DeliveryDocument, from: Place, to: Place): void {
    assert.equal(this.#known.get(latest._id)?.place, from);
    this.#known.set(latest._id, { place: to, latest });
  }

  put(latest: DeliveryDocument, now: number): void {
    assert.ok(this.queue.put(latest, now));
    const before = this.#known.get(latest._id);
    if (before && before.latest.state.revision >= latest.state.revision) return;
    const place = before?.place === 'in flight' ? before.place : 'waiting';
    this.#known.set(latest._id, { place, latest });
  }

  triage(now: number, probes: boolean): void {
    for (const due of this.queue.dequeueDue(now)) {
      assert.ok((due.state.nextAttemptAt ?? 0) <= now, 'not before its time');
      this.queue.markReady(due, probes && !this.queue.probing);
      this.#move(due, 'waiting', 'ready');
    }
    const next = this.queue.nextDueAt();
    assert.ok(next === null || next > now, 'all that are due were taken');
    assert.equal(this.queue.runnable, this.queue.ready);
  }

  start(): ReadyDelivery | null {
    const wasReady = this.#placesOf('ready') > 0;
    const started = this.queue.dequeueReady();
    assert.equal(started !== null, wasReady);
    if (started) this.#move(started.delivery, 'ready', 'in flight');
    return started;
  }

  end(id: string): void {
    const wasInFlight = this.#known.get(id)?.place === 'in flight';
    assert.equal(this.queue.removeInFlight(id) !== undefined, wasInFlight);
    if (wasInFlight) this.#known.delete(id);
  }

  requeue(all: boolean): void {
    this.queue.requeueReady({ all });
    const left = this.queue.ready;
    assert.ok(left <= (all ? 0 : 1), 'a probe at most stays ready');
    for (const { place, latest } of this.#known.values()) {
      if (place === 'ready') this.#move(latest, 'ready', 'waiting');
    }
    if (left === 0) return;
    const started = this.queue.dequeueReady();
    assert.ok(started?.probe);
    this.#move(started.delivery, 'waiting', 'in flight');
  }

  assertSame(): void {
    assert.equal(this.queue.inFlight, this.#placesOf('in flight'));
    assert.equal(this.queue.ready, this.#placesOf('ready'));
    assert.equal(this.queue.size, this.#placesOf('waiting') + this.#placesOf('ready'));
    for (const [id, { latest }] of this.#known) assert.deepEqual(this.queue.get(id), latest);
  }
}

const id = fc.nat(5);
const moment = fc.nat(MOMENTS);
const put = fc.tuple(id, fc.integer({ min: 1, max: 4 }), moment);
const step = fc.oneof(
  put.map(([of, revision, at]) => (model: Model, now: number) => {
    model.put(delivery(of, revision, now + at - MOMENTS / 2), now);
  }),
  fc.boolean().map((probes) => (model: Model, now: number) => model.triage(now, probes)),
  fc.constant((model: Model) => void model.start()),
  id.map((of) => (model: Model) => model.end(`dlv_${of}`)),
  fc.boolean().map((all) => (model: Model) => model.requeue(all)),
);

test('a delivery is in one place, in its latest version, and not due before its time', () => {
  withRuns(300)([fc.array(fc.tuple(moment, step), { maxLength: 60 })], (steps) => {
    const model = new Model();
    let now = 0;
    for (const [passed, take] of steps) {
      now += passed;
      take(model, now);
      model.assertSame();
    }
  });
});

test('one refill is due for all that found no room, once few wait', () => {
  withRuns(60)([fc.nat(MANY), fc.nat(MANY), fc.boolean()], (count, taken, isRead) => {
    const state = new WorkerState(0);
    for (let n = 0; n < count; n++) {
      if (isRead) state.addRead(delivery(n), 1);
      else state.add(delivery(n), 1);
    }
    assert.equal(state.isEmpty, count === 0);
    const left = state.queue.dequeueDue(1).slice(taken);
    for (const each of left) state.queue.put(each, 1);
    const needs = isRead ? count >= LOW_WATER : count > QUEUED_MAX;
    assert.equal(state.takeRefill(), needs && left.length < LOW_WATER);
    if (left.length < LOW_WATER) assert.equal(state.takeRefill(), false);
  });
});

test('a worker that drains or is closed starts nothing, and a closed one holds nothing', () => {
  const state = new WorkerState(0);
  state.add(delivery(1), 1);
  assert.ok(state.mayStart && !state.isClosed);
  state.drain();
  assert.ok(!state.mayStart && !state.hasCapacity && !state.isClosed);
  assert.equal(state.queue.size, 1);
  state.close();
  assert.ok(!state.mayStart && state.isClosed);
  assert.equal(state.queue.size, 0);
});

test('a worker that holds a delivery, or was used in the last minute, is in use', () => {
  const state = new WorkerState(0);
  assert.ok(!state.isUnused(59_999));
  assert.ok(state.isUnused(60_000));
  state.queue.hold(delivery(1));
  assert.ok(!state.isUnused(60_000));
  state.queue.removeInFlight('dlv_1');
  state.use(1);
  assert.ok(!state.isUnused(60_000));
});

test('a worker wakes at the first time that is still to come', () => {
  const time = fc.option(fc.integer({ min: -MOMENTS, max: MOMENTS }));
  withRuns(300)([fc.array(time)], (times) => {
    const later = times.filter((at) => at !== null).filter((at) => at > 0);
    assert.equal(nextWakeMs(0, times), later.toSorted((a, b) => a - b)[0] ?? null);
    const shifted = times.map((at) => (at === null ? null : at + MANY));
    assert.equal(nextWakeMs(MANY, shifted), nextWakeMs(0, times));
  });
});
