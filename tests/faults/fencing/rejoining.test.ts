/**
 * A call to the record that is answered after its member has lost its lease, joined anew or left.
 * The answer belongs to a member that is no more.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_MS, LEASE_RENEWAL_IDLE_MS } from '../../../shared/limits.ts';
import type { Registry } from '../../../shared/ports/registry.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { memberFixtureOf, registryWith, settle, strayed } from './members.ts';

/** A registry that executes one call and answers it only when the test releases it. */
function holdingBack<Call extends keyof Registry>(registry: Registry, call: Call) {
  const latch = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let first = true;
  const ask = registry[call] as (...given: readonly unknown[]) => Promise<unknown>;
  const held = async (...given: readonly unknown[]): Promise<unknown> => {
    const answer = await ask(...given);
    if (first) {
      first = false;
      reached.resolve();
      await latch.promise;
    }
    return answer;
  };
  const slow: Registry = { ...registry, [call]: held };
  return { slow, reached: reached.promise, arrive: latch.resolve };
}

test('a claim that is answered after the process has joined anew is not taken', async () => {
  const clock = new ManualClock();
  const { record, registry } = registryWith(clock);
  const { slow, reached, arrive } = holdingBack(registry, 'claim');
  record.join({ id: 'b', kinds: ACTOR_KINDS, pid: 2 });
  const fixture = memberFixtureOf('a', clock, slow);
  const started = fixture.start();
  arrive();
  await started;
  const again = holdingBack(registry, 'claim');
  Object.assign(slow, { claim: again.slow.claim });
  await reached;
  const before = fixture.held.size;
  record.leave('b');
  fixture.announce();
  await again.reached;
  clock.advance(LEASE_MS);
  await settle();
  assert.equal(fixture.membership.memberId, 'a.2');
  assert.equal(fixture.membership.leaseHeld(), true);
  fixture.onAcquire = (name, epoch) => {
    const row = record.partitions().find((each) => each.name === name);
    assert.deepEqual(row, { name, owner: 'a.2', epoch });
  };
  again.arrive();
  await settle();
  assert.ok(fixture.held.size > before);
  assert.deepEqual(strayed(fixture, record.partitions()), []);
});

test('partitions that were claimed while the process left are not taken', async () => {
  const clock = new ManualClock();
  const { record, registry } = registryWith(clock);
  const { slow, reached, arrive } = holdingBack(registry, 'claim');
  const leaving = Promise.withResolvers<void>();
  const leave = async (id: string): Promise<void> => {
    await leaving.promise;
    record.leave(id);
  };
  const fixture = memberFixtureOf('a', clock, { ...slow, leave });
  void fixture.start();
  await reached;
  const left = fixture.membership.leave();
  await settle();
  arrive();
  await settle();
  assert.deepEqual([...fixture.held.keys()], []);
  leaving.resolve();
  await left;
  assert.equal(fixture.membership.leaseHeld(), false);
  assert.deepEqual(record.liveMembers(), []);
});

test('a renewal that is answered after the process has left revives nothing', async () => {
  const clock = new ManualClock();
  const { registry } = registryWith(clock);
  const { slow, reached, arrive } = holdingBack(registry, 'renew');
  const { membership, start } = memberFixtureOf('a', clock, slow);
  await start();
  clock.advance(LEASE_RENEWAL_IDLE_MS);
  await reached;
  await membership.leave();
  arrive();
  await settle();
  assert.equal(membership.leaseHeld(), false);
});

test('a process that leaves while it joins anew is no member afterwards', async () => {
  const clock = new ManualClock();
  const { record, registry } = registryWith(clock);
  const { slow, reached, arrive } = holdingBack(registry, 'join');
  let held = false;
  const fixture = memberFixtureOf('a', clock, {
    ...registry,
    join: (member) => (held ? slow.join(member) : registry.join(member)),
  });
  await fixture.start();
  held = true;
  clock.advance(LEASE_MS + LEASE_RENEWAL_IDLE_MS);
  await reached;
  await fixture.membership.leave();
  arrive();
  await settle();
  assert.equal(fixture.membership.leaseHeld(), false);
  assert.deepEqual(record.liveMembers(), []);
});

test('a member acts no more once it has said on record that it has left', async () => {
  const clock = new ManualClock();
  const { registry } = registryWith(clock);
  let aliveWhenDead: boolean | null = null;
  const fixture = memberFixtureOf('a', clock, {
    ...registry,
    leave: async (id) => {
      await registry.leave(id);
      aliveWhenDead = fixture.membership.leaseHeld();
    },
  });
  await fixture.start();
  await fixture.membership.leave();
  assert.equal(aliveWhenDead, false);
});

test('a release that lands late takes nothing from who owns the partition under a later epoch', async () => {
  const clock = new ManualClock();
  const { record, registry } = registryWith(clock);
  const { promise: late, resolve: release } = Promise.withResolvers<void>();
  let lost = true;
  const fixture = memberFixtureOf('a', clock, {
    ...registry,
    release: async (rows, id) => {
      if (!lost) return registry.release(rows, id);
      lost = false;
      void late.then(() => registry.release(rows, id));
      throw new Error('release was not answered within 2000 ms');
    },
  });
  await fixture.start();
  const all = fixture.held.size;
  // Another joins, and is gone before it has acquired the partition released for it.
  record.join({ id: 'b', kinds: ACTOR_KINDS, pid: 2 });
  const beats = async (count: number): Promise<void> => {
    for (let beat = 0; beat < count; beat++) {
      clock.advance(LEASE_RENEWAL_IDLE_MS);
      await settle();
      if (count > 1) record.renew('b');
    }
  };
  for (let beat = 0; beat < 12 && lost; beat++) {
    record.renew('b');
    await beats(1);
  }
  assert.equal(lost, false, 'what belongs to the other is released, and the answer is lost');
  record.leave('b');
  await beats(4);
  assert.equal(fixture.held.size, all);
  release();
  await settle();
  assert.deepEqual(strayed(fixture, record.partitions()), []);
});
