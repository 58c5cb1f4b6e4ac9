import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairSemaphore, type Waiter } from '../../../../actors/runtime/concurrency.ts';
import { withRuns } from '../../../support/property.ts';

/** A subscription with a backlog, at most `width` of it in flight. */
class Backlog implements Waiter {
  readonly name: number;
  readonly orgId: string;
  readonly #width: number;
  left: number;
  inFlight = 0;
  readonly onStart: (who: Backlog) => void;

  constructor(
    of: { name: number; orgId: string; left: number; width: number },
    onStart: (who: Backlog) => void,
  ) {
    this.name = of.name;
    this.orgId = of.orgId;
    this.left = of.left;
    this.#width = of.width;
    this.onStart = onStart;
  }

  get canStart(): boolean {
    return this.left > 0 && this.inFlight < this.#width;
  }

  start(): boolean {
    if (!this.canStart) return false;
    this.left--;
    this.inFlight++;
    this.onStart(this);
    return true;
  }
}

const backlogs = fc.array(
  fc.record({
    org: fc.integer({ min: 0, max: 3 }),
    left: fc.integer({ min: 0, max: 30 }),
    width: fc.integer({ min: 1, max: 8 }),
  }),
  { minLength: 1, maxLength: 12 },
);
const caps = fc.record({
  perOrganization: fc.integer({ min: 1, max: 6 }),
  perProcess: fc.integer({ min: 1, max: 10 }),
});
const NO_OVERFLOW = { perOrganization: 0, perProcess: 0 };

test('caps hold, no slot idles while somebody may start, everybody comes to an end', () => {
  withRuns(300)([backlogs, caps, fc.array(fc.nat(), { maxLength: 50 })], (drawn, cap, choices) => {
    const semaphore = new FairSemaphore(cap, NO_OVERFLOW);
    const underWay: Backlog[] = [];
    const all = drawn.map(
      ({ org, left, width }, name) =>
        new Backlog({ name, orgId: `o${org}`, left, width }, (who) => underWay.push(who)),
    );
    const ofOrg = (orgId: string) => underWay.filter((each) => each.orgId === orgId).length;
    const check = (): void => {
      assert.equal(semaphore.used, underWay.length);
      assert.ok(underWay.length <= cap.perProcess);
      for (const { orgId } of all) assert.ok(ofOrg(orgId) <= cap.perOrganization);
      if (underWay.length === cap.perProcess) return;
      for (const each of all) {
        assert.ok(!each.canStart || ofOrg(each.orgId) === cap.perOrganization, 'a slot idles');
      }
    };
    for (const each of all) semaphore.offer(each);
    check();
    for (let step = 0; underWay.length > 0; step++) {
      const [ended] = underWay.splice((choices[step] ?? 0) % underWay.length, 1);
      assert.ok(ended);
      ended.inFlight--;
      semaphore.release(ended.orgId);
      if (ended.canStart) semaphore.offer(ended);
      check();
    }
    assert.ok(all.every(({ left }) => left === 0));
  });
});

test('a long backlog does not go before a short one: subscriptions take turns', () => {
  const semaphore = new FairSemaphore({ perOrganization: 2, perProcess: 2 }, NO_OVERFLOW);
  const order: number[] = [];
  const underWay: Backlog[] = [];
  const make = (name: number, left: number) =>
    new Backlog({ name, orgId: 'o', left, width: 8 }, (who) => {
      order.push(who.name);
      underWay.push(who);
    });
  for (const each of [make(1, 100), make(2, 3), make(3, 3)]) semaphore.offer(each);
  while (order.length < 12) {
    const ended = underWay.shift();
    assert.ok(ended);
    ended.inFlight--;
    semaphore.release(ended.orgId);
    if (ended.canStart) semaphore.offer(ended);
  }
  const last = (name: number) => order.lastIndexOf(name);
  assert.ok(last(2) < 11 && last(3) < 12, order.join());
});

test('one that leaves is not started any more', () => {
  const semaphore = new FairSemaphore({ perOrganization: 1, perProcess: 5 }, NO_OVERFLOW);
  const started: number[] = [];
  const make = (name: number) =>
    new Backlog({ name, orgId: 'o', left: 1, width: 1 }, (who) => started.push(who.name));
  const [first, second] = [make(1), make(2)];
  semaphore.offer(first);
  semaphore.offer(second);
  semaphore.withdraw(second);
  semaphore.release('o');
  assert.deepEqual([started, semaphore.used], [[1], 0]);
});

test('attempts that last give their slots to others, as long as there is room aside', () => {
  const caps = { perOrganization: 2, perProcess: 4 };
  const semaphore = new FairSemaphore(caps, { perOrganization: 3, perProcess: 5 });
  const started: string[] = [];
  const make = (orgId: string) => {
    const of = { name: 0, orgId, left: 100, width: 100 };
    semaphore.offer(new Backlog(of, (who) => started.push(who.orgId)));
  };
  make('a');
  assert.deepEqual([started.length, semaphore.used], [2, 2], 'the cap of the organization');
  for (let aside = 0; aside < 3; aside++) assert.equal(semaphore.moveToOverflow('a'), true);
  assert.deepEqual([started.length, semaphore.used], [5, 2], 'each slot was taken up at once');
  assert.equal(semaphore.moveToOverflow('a'), false, 'no room for more of this organization');
  make('b');
  assert.equal(started.filter((orgId) => orgId === 'b').length, 2);
  assert.equal(semaphore.moveToOverflow('b'), true);
  assert.equal(semaphore.moveToOverflow('b'), true);
  assert.equal(semaphore.moveToOverflow('b'), false, 'no room for more of this process');
  semaphore.releaseOverflow('a');
  assert.equal(semaphore.moveToOverflow('b'), true, 'one that has ended makes room');
  assert.equal(semaphore.used, 4);
});
