/** A member renews its lease however long the partitions that it acquires or releases take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_MS, LEASE_RENEWAL_MS } from '../../../shared/limits.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import { hangs, ignore, type Member, member, startedMember } from './members.ts';
import { settle } from './settle.ts';

const STEP_MS = 100;

/** Lets time pass step by step; the lease holds throughout. */
async function passHeld(
  { membership, clock }: Member,
  { ms, meanwhile = ignore }: { readonly ms: number; readonly meanwhile?: () => void },
): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    clock.advance(STEP_MS);
    meanwhile();
    await settle();
    assert.equal(membership.leaseHeld(), true, `after ${passed} ms`);
  }
}

test('a claim that takes longer than the lease does not end it', async () => {
  const fixture = member({ calls: () => ({ claim: hangs }) });
  void fixture.start();
  await settle();
  await passHeld(fixture, { ms: 3 * LEASE_MS });
  assert.equal(fixture.membership.memberId, 'a');
});

test('a release that waits for turns longer than the lease does not end it', async () => {
  const fixture = await startedMember();
  const { record, membership, held } = fixture;
  const all = held.size;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  fixture.beforeRelease = () => ended;
  // Its announcement was lost: the release begins with a renewal.
  record.join({ id: 'b', kinds: ACTOR_KINDS, weight: 1, pid: 2 });
  const meanwhile = (): void => void record.renew('b');
  await passHeld(fixture, { ms: 6 * LEASE_MS, meanwhile });
  assert.deepEqual([membership.memberId, held.size], ['a', all]);
  end();
  await passHeld(fixture, { ms: LEASE_MS, meanwhile });
  assert.ok(held.size < all, 'its share is given up');
});

test('after a lost lease a slow claim does not lose the next one', async () => {
  let isSlow = false;
  const fixture = await startedMember({
    calls: ({ registry }) => ({
      claim: (rows, id) => (isSlow ? hangs() : registry.claim(rows, id)),
    }),
  });
  isSlow = true;
  fixture.clock.advance(LEASE_MS + LEASE_RENEWAL_MS);
  await settle();
  assert.equal(fixture.membership.memberId, 'a.2');
  await passHeld(fixture, { ms: 3 * LEASE_MS });
  assert.equal(fixture.membership.memberId, 'a.2');
});

test('the time of a slow answer is not added to the time between renewals', async () => {
  const fixture = await startedMember({
    calls: ({ registry, clock }) => ({
      renew: async (id) => {
        const renewed = await registry.renew(id);
        // Added, a renewal would arrive 2.8 s after the one before was asked for.
        await new Promise<void>((resolve) => clock.after(900, resolve));
        return renewed;
      },
    }),
  });
  await passHeld(fixture, { ms: 4 * LEASE_MS });
  assert.equal(fixture.membership.memberId, 'a');
});
