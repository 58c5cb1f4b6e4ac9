/**
 * A call to the record that is answered after its member has lost its lease, joined anew or left.
 * The answer belongs to a member that is no more.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_MS, LEASE_RENEWAL_IDLE_MS } from '../../../shared/limits.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import { member, startedMember, strayed } from './members.ts';
import { settle } from './settle.ts';

/** Executes one call and answers it only when the test releases it; later ones at once. */
class HeldCall {
  readonly #reached = Promise.withResolvers<void>();
  readonly #latch = Promise.withResolvers<void>();
  readonly reached = this.#reached.promise;
  readonly arrive = this.#latch.resolve;
  #isFirst = true;

  async around<T>(ask: () => Promise<T>): Promise<T> {
    const answer = await ask();
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#reached.resolve();
      await this.#latch.promise;
    }
    return answer;
  }
}

test('a claim that is answered after the process has joined anew is not taken', async () => {
  let held: HeldCall | null = null;
  const fixture = member({
    calls: ({ registry }) => ({
      claim: (rows, id) => {
        const ask = () => registry.claim(rows, id);
        return held ? held.around(ask) : ask();
      },
    }),
  });
  const { clock, record, membership } = fixture;
  record.join({ id: 'b', kinds: ACTOR_KINDS, weight: 1, pid: 2 });
  await fixture.start();
  const again = new HeldCall();
  held = again;
  const before = fixture.held.size;
  record.leave('b');
  fixture.announce();
  await again.reached;
  clock.advance(LEASE_MS);
  await settle();
  assert.equal(membership.memberId, 'a.2');
  assert.equal(membership.leaseHeld(), true);
  fixture.onAcquire = (name, epoch) => {
    const row = record.partitions().find((each) => each.name === name);
    assert.deepEqual(row, { name, owner: 'a.2', epoch });
  };
  again.arrive();
  await settle();
  assert.ok(fixture.held.size > before);
  assert.deepEqual(strayed(fixture), []);
});

test('partitions that were claimed while the process left are not taken', async () => {
  const claim = new HeldCall();
  const leaving = Promise.withResolvers<void>();
  const fixture = member({
    calls: ({ registry, record }) => ({
      claim: (rows, id) => claim.around(() => registry.claim(rows, id)),
      leave: async (id) => {
        await leaving.promise;
        record.leave(id);
      },
    }),
  });
  void fixture.start();
  await claim.reached;
  const left = fixture.membership.leave();
  await settle();
  claim.arrive();
  await settle();
  assert.deepEqual([...fixture.held.keys()], []);
  leaving.resolve();
  await left;
  assert.equal(fixture.membership.leaseHeld(), false);
  assert.deepEqual(fixture.record.liveMembers(), []);
});

test('a renewal that is answered after the process has left revives nothing', async () => {
  const renewal = new HeldCall();
  const { clock, membership } = await startedMember({
    calls: ({ registry }) => ({ renew: (id) => renewal.around(() => registry.renew(id)) }),
  });
  clock.advance(LEASE_RENEWAL_IDLE_MS);
  await renewal.reached;
  await membership.leave();
  renewal.arrive();
  await settle();
  assert.equal(membership.leaseHeld(), false);
});

test('a process that leaves while it joins anew is no member afterwards', async () => {
  const again = new HeldCall();
  let hasJoined = false;
  const { clock, membership, record } = await startedMember({
    calls: ({ registry }) => ({
      join: (joining) => {
        const ask = () => registry.join(joining);
        return hasJoined ? again.around(ask) : ask();
      },
    }),
  });
  hasJoined = true;
  clock.advance(LEASE_MS + LEASE_RENEWAL_IDLE_MS);
  await again.reached;
  await membership.leave();
  again.arrive();
  await settle();
  assert.equal(membership.leaseHeld(), false);
  assert.deepEqual(record.liveMembers(), []);
});

test('a member acts no more once it has said on record that it has left', async () => {
  let aliveWhenDead: boolean | null = null;
  const { membership } = await startedMember({
    calls: ({ registry }) => ({
      leave: async (id) => {
        await registry.leave(id);
        aliveWhenDead = membership.leaseHeld();
      },
    }),
  });
  await membership.leave();
  assert.equal(aliveWhenDead, false);
});

test('a release that lands late takes nothing from who owns the partition under a later epoch', async () => {
  const { promise: late, resolve: release } = Promise.withResolvers<void>();
  let lost = true;
  const fixture = await startedMember({
    calls: ({ registry }) => ({
      release: async (rows, id) => {
        if (!lost) return registry.release(rows, id);
        lost = false;
        void late.then(() => registry.release(rows, id));
        throw new Error('release was not answered within 2000 ms');
      },
    }),
  });
  const { clock, record } = fixture;
  const all = fixture.held.size;
  // Another joins, and is gone before it has acquired the partition released for it.
  record.join({ id: 'b', kinds: ACTOR_KINDS, weight: 1, pid: 2 });
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
  assert.deepEqual(strayed(fixture), []);
});
