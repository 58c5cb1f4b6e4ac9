/** A member renews its lease however long the partitions that it acquires or releases take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_MS, LEASE_RENEWAL_MS } from '../../../shared/limits.ts';
import type { Registry } from '../../../shared/ports/registry.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  hangs,
  ignore,
  type MemberFixture,
  memberFixtureOf,
  registryWith,
  settle,
} from './members.ts';

const STEP_MS = 100;

/** Lets time pass step by step; the lease holds throughout. */
async function passHeld(
  { membership }: MemberFixture,
  clock: ManualClock,
  { ms, meanwhile = ignore }: { readonly ms: number; readonly meanwhile?: () => void },
): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    clock.advance(STEP_MS);
    meanwhile();
    await settle();
    assert.equal(membership.leaseHeld(), true, `after ${passed} ms`);
  }
}

/** A registry whose renewals, and no other calls, are answered after `ms`. */
function slowRenewals(clock: ManualClock, registry: Registry, ms: number): Registry {
  const renew = async (id: string): Promise<boolean> => {
    const renewed = await registry.renew(id);
    await new Promise<void>((resolve) => clock.after(ms, resolve));
    return renewed;
  };
  return { ...registry, renew };
}

test('a claim that takes longer than the lease does not end it', async () => {
  const clock = new ManualClock();
  const { registry } = registryWith(clock);
  const member = memberFixtureOf('a', clock, { ...registry, claim: hangs });
  void member.start();
  await settle();
  await passHeld(member, clock, { ms: 3 * LEASE_MS });
  assert.equal(member.membership.memberId, 'a');
});

test('a release that waits for turns longer than the lease does not end it', async () => {
  const clock = new ManualClock();
  const { record, registry } = registryWith(clock);
  const member = memberFixtureOf('a', clock, registry);
  await member.start();
  const all = member.held.size;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  member.beforeRelease = () => ended;
  // Its announcement was lost: the release begins with a renewal.
  record.join({ id: 'b', kinds: ACTOR_KINDS, pid: 2 });
  const meanwhile = (): void => void record.renew('b');
  await passHeld(member, clock, { ms: 6 * LEASE_MS, meanwhile });
  assert.deepEqual([member.membership.memberId, member.held.size], ['a', all]);
  end();
  await passHeld(member, clock, { ms: LEASE_MS, meanwhile });
  assert.ok(member.held.size < all, 'its share is given up');
});

test('after a lost lease a slow claim does not lose the next one', async () => {
  const clock = new ManualClock();
  const { registry } = registryWith(clock);
  let claim = registry.claim;
  const member = memberFixtureOf('a', clock, {
    ...registry,
    claim: (rows, id) => claim(rows, id),
  });
  await member.start();
  claim = hangs;
  clock.advance(LEASE_MS + LEASE_RENEWAL_MS);
  await settle();
  assert.equal(member.membership.memberId, 'a.2');
  await passHeld(member, clock, { ms: 3 * LEASE_MS });
  assert.equal(member.membership.memberId, 'a.2');
});

test('the time of a slow answer is not added to the time between renewals', async () => {
  const clock = new ManualClock();
  const { registry } = registryWith(clock);
  // Added, a renewal would arrive 2.8 s after the one before was asked for.
  const member = memberFixtureOf('a', clock, slowRenewals(clock, registry, 900));
  await member.start();
  await passHeld(member, clock, { ms: 4 * LEASE_MS });
  assert.equal(member.membership.memberId, 'a');
});
