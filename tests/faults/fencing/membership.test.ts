/** A member's view of itself and of others, when time passes between two of its steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_MS, LEASE_RENEWAL_IDLE_MS, LEASE_RENEWAL_MS } from '../../../shared/limits.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import { hangs, ignore, startedMember } from './members.ts';
import { settle } from './settle.ts';

/** Margin before the lease ends at the server: for clock drift, and for a send under way. */
const MARGIN_MIN_MS = 300;
const PAUSE_MS = 900;
const STEP_MS = 100;

test('a member acts no more a good while before its lease ends at the server', async () => {
  const { clock, membership } = await startedMember({ calls: () => ({ renew: hangs }) });
  clock.advance(LEASE_MS - 1_000);
  assert.equal(membership.leaseHeld(), true);
  clock.advance(1_000 - MARGIN_MIN_MS);
  assert.equal(membership.leaseHeld(), false);
});

test('a lease counts from before it was asked for', async () => {
  const { clock, membership } = await startedMember({
    before: (call, on) => {
      if (call === 'join') on.clock.advance(PAUSE_MS);
    },
    calls: () => ({ renew: hangs }),
  });
  clock.advance(LEASE_MS - PAUSE_MS - 1_000);
  assert.equal(membership.leaseHeld(), true);
  clock.advance(1_000 - MARGIN_MIN_MS);
  assert.equal(membership.leaseHeld(), false);
});

for (const call of ['liveMembers', 'partitions'] as const) {
  test(`who joins and takes partitions just before ${call} is read is not robbed`, async () => {
    let joined = false;
    const names = ACTOR_KINDS.map((kind) => `${kind}.0`);
    const { held, record } = await startedMember({
      before: (asked, on) => {
        if (asked !== call || joined) return;
        joined = true;
        on.record.join({ id: 'b', kinds: ACTOR_KINDS, weight: 1, pid: 2 });
        const free = names.map((name) => ({ name, owner: null, epoch: 0 }));
        assert.equal(on.record.claim(free, 'b').length, names.length);
      },
    });
    assert.ok(held.size > 0, 'the others are taken');
    assert.ok(!names.some((name) => held.has(name)));
    const rows = record.partitions().filter(({ name }) => names.includes(name));
    assert.ok(rows.every(({ owner, epoch }) => owner === 'b' && epoch === 1));
  });
}

test('a member that stood still for longer than its lease comes back under a new id', async () => {
  const { clock, membership, held, record } = await startedMember();
  assert.ok(held.size > 0);
  // A pause: the renewal that was due is late.
  clock.advance(LEASE_MS + LEASE_RENEWAL_MS);
  assert.equal(membership.leaseHeld(), false);
  await settle();
  assert.equal(membership.memberId, 'a.2');
  const living = record.liveMembers().map(({ id }) => id);
  assert.deepEqual(living, ['a.2']);
});

test('a lease that lapses while its renewal is on its way is lost, and not revived', async () => {
  const { promise: answer, resolve: arrive } = Promise.withResolvers<void>();
  const { clock, membership, held, record } = await startedMember({
    calls: (on) => ({
      renew: async (id) => {
        const renewed = on.record.renew(id);
        await answer;
        return renewed;
      },
    }),
  });
  clock.advance(LEASE_RENEWAL_IDLE_MS);
  clock.advance(LEASE_MS - LEASE_RENEWAL_IDLE_MS - MARGIN_MIN_MS);
  assert.ok(!membership.leaseHeld(), 'what it has stopped meanwhile it never begins again');
  arrive();
  await settle();
  assert.equal(membership.memberId, 'a.2');
  assert.equal(membership.leaseHeld(), true);
  const mine = record.partitions().filter(({ owner }) => owner === 'a.2');
  assert.equal(mine.length, held.size);
  assert.ok(mine.length > 0 && mine.every(({ epoch }) => epoch === 2), 'taken anew');
});

test('a member that is alone renews and hardly reads; another that joins is seen', async () => {
  let reads = 0;
  let partitionReads = 0;
  const { clock, held, record } = await startedMember({
    before: (call) => {
      if (call === 'liveMembers' || call === 'partitions') reads++;
      if (call === 'partitions') partitionReads++;
    },
  });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(LEASE_RENEWAL_MS);
      await settle();
      record.renew('b');
    }
  };
  await pass(2);
  const before = { reads, held: held.size };
  await pass(6);
  assert.equal(reads, before.reads);
  const partitionsRead = partitionReads;
  await pass(40);
  assert.equal(partitionReads, partitionsRead, 'the partitions are not read again');
  assert.ok(reads >= before.reads + 4, 'the members are');
  await pass(20);
  assert.ok(partitionReads > partitionsRead, 'but from time to time');
  // Its announcement was lost.
  record.join({ id: 'b', kinds: ACTOR_KINDS, weight: 1, pid: 2 });
  await pass(10);
  assert.ok(held.size < before.held, 'its share is given up');
  const shared = reads;
  await pass(3);
  assert.ok(reads >= shared + 3, 'the members are read with each renewal');
});

test('a member that is alone and asked nothing renews more seldom, and at once as ever when it is', async () => {
  let renewals = 0;
  const { clock, membership, turn, record } = await startedMember({
    before: (call) => {
      if (call === 'renew') renewals++;
    },
  });
  const renewedIn = async (seconds: number, meanwhile: () => void = ignore): Promise<number> => {
    const before = renewals;
    for (let passed = 0; passed < seconds * 1_000; passed += STEP_MS) {
      clock.advance(STEP_MS);
      meanwhile();
      await settle();
      assert.equal(membership.leaseHeld(), true);
    }
    return renewals - before;
  };
  await renewedIn(5);
  assert.equal(await renewedIn(30), 30_000 / LEASE_RENEWAL_IDLE_MS);
  assert.ok((await renewedIn(30, turn)) >= 30_000 / LEASE_RENEWAL_MS - 1, 'while it is asked');
  await renewedIn(5);
  record.join({ id: 'b', kinds: ACTOR_KINDS, weight: 1, pid: 2 });
  const other = (): void => {
    record.renew('b');
    const free = record.partitions().filter(({ owner }) => owner === null);
    record.claim(free, 'b');
  };
  await renewedIn(20, other);
  const shared = await renewedIn(30, other);
  assert.ok(shared >= 30_000 / LEASE_RENEWAL_MS - 1, 'while there is another');
});
