/**
 * Calls that several processes admit for one organization (actors/organization/local-admission): no
 * window lets more through than its limit, and the owner is asked for few of them (I27).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LocalAdmission } from '../../../actors/organization/local-admission.ts';
import { OrganizationViews } from '../../../actors/organization/views.ts';
import { RATE_WINDOW_MS } from '../../../shared/limits.ts';
import type { AskOptions, CommandOf } from '../../../shared/ports/bus.ts';
import type { Admission, AdmitCommand } from '../../../shared/wire/caller.ts';
import { contextAt, NOW } from '../../support/actors/domain/organization-fixture.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { answerOf, organizationOwner } from './organization-owner.ts';

const TOKEN = 'given-by-the-caller-0123456789';
const PROCESSES = 4;
const { digest } = contextAt(NOW).ids;

interface Limits {
  readonly perKey: number;
  readonly perOrg: number;
}

/** Four processes, and the owner in a fifth, which may be replaced. */
function installation(limits: Limits) {
  const keys = [{ ref: 'erp', name: 'ERP', scope: 'account', token: TOKEN }];
  const { id: orgId, environment, database, open } = organizationOwner({ limits, keys });
  let owner = open();
  const counts = { asks: 0, calls: 0 };
  const bus = {
    ...environment.bus,
    ask: (_to: unknown, command: CommandOf<'organization'>, _options: AskOptions) => {
      counts.asks++;
      return answerOf(owner, command, (command as AdmitCommand).repeat === true);
    },
  };
  const known = { ...environment, bus } as unknown as typeof environment;
  const processes = Array.from({ length: PROCESSES }, () => {
    const views = new OrganizationViews(known);
    return new LocalAdmission({ environment: known, views, onAdmitted: () => undefined });
  });
  const call = async (at: number, more: Partial<AdmitCommand> & { again?: boolean } = {}) => {
    const { again = false, ...asked } = more;
    const id = `adm_${counts.calls++}`;
    const about = { digest: digest(TOKEN), knownVersion: null };
    const command: AdmitCommand = { id, type: 'admit', ...about, ...asked };
    const asking = { deadline: Number.POSITIVE_INFINITY, repeat: again };
    const admission = await processes[at]?.admit({ orgId, command }, asking);
    return admission ?? assert.fail('no admission');
  };
  const clock = environment.clock as unknown as ManualClock;
  const replaceOwner = () => {
    owner = open();
  };
  return { call, counts, clock, database, orgId, replaceOwner };
}

const good = ({ outcome }: Admission): boolean =>
  outcome === 'admitted' || outcome === 'admitted-with-caller';

test('120 of 150 calls are admitted over four processes, each by the owner', async () => {
  const { call, counts } = installation({ perKey: 120, perOrg: 600 });
  const calls = Array.from({ length: 150 }, (_, number) => call(number % PROCESSES));
  const admitted = (await Promise.all(calls)).filter(good);
  assert.equal(admitted.length, 120);
  assert.equal(counts.asks, 150);
});

test('of a thousand calls of a large limit the owner is asked for at most 20', async () => {
  const { call, counts } = installation({ perKey: 1e9, perOrg: 1e9 });
  const calls = Array.from({ length: 1_000 }, (_, number) => call(number % PROCESSES));
  assert.ok((await Promise.all(calls)).every(good));
  assert.ok(counts.asks <= 20, `${counts.asks} asks`);
});

test('no window lets more through than its limit, nor promises more than is left', async () => {
  const step = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({ at: fc.nat(PROCESSES - 1), calls: fc.integer({ min: 1, max: 400 }) }),
    },
    { weight: 2, arbitrary: fc.record({ afterMs: fc.nat(RATE_WINDOW_MS / 3) }) },
    { weight: 1, arbitrary: fc.constant({ replaced: true as const }) },
  );
  const limits = fc.record({
    perKey: fc.integer({ min: 1, max: 9_000 }),
    perOrg: fc.integer({ min: 1, max: 9_000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.array(step, { maxLength: 60 }),
      async ({ perKey, perOrg }, steps) => {
        const { call, clock, replaceOwner } = installation({ perKey, perOrg });
        const limit = Math.min(perKey, perOrg);
        /** Times of admitted calls, and the least that was promised since. */
        let [openedAt, admitted] = [Number.NEGATIVE_INFINITY, 0];
        for (const each of steps) {
          if ('afterMs' in each) clock.advance(each.afterMs);
          if ('replaced' in each) replaceOwner();
          if (!('calls' in each)) continue;
          for (let number = 0; number < each.calls; number++) {
            if (clock.monotonic() - openedAt >= RATE_WINDOW_MS) {
              [openedAt, admitted] = [clock.monotonic(), 0];
            }
            const admission = await call(each.at);
            if (!good(admission)) continue;
            admitted++;
            assert.ok(admitted <= limit, `${admitted} of ${limit}`);
            assert.ok('rates' in admission);
            const { key, org } = admission.rates;
            assert.ok(Math.min(key.remaining, org.remaining) <= limit - admitted);
          }
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('of one call asked twice, by two processes, one gets a slice', async () => {
  const { call, counts } = installation({ perKey: 1e6, perOrg: 1e6 });
  await call(0, { id: 'adm_once' });
  await call(1, { id: 'adm_once', again: true });
  assert.equal(counts.asks, 2);
  await call(1);
  assert.equal(counts.asks, 3, 'the second process has none');
});

test('a slice ends with its window', async () => {
  const { call, counts, clock } = installation({ perKey: 1e6, perOrg: 1e6 });
  await call(0);
  clock.advance(RATE_WINDOW_MS - 1);
  await call(0);
  assert.equal(counts.asks, 1);
  clock.advance(1);
  await call(0);
  assert.equal(counts.asks, 2);
});

test('a repeat counts nothing while its process has a slice', async () => {
  const { call } = installation({ perKey: 1e6, perOrg: 1e6 });
  await call(0);
  const remaining = async (again: boolean) => {
    const admission = await call(0, { again });
    assert.ok(good(admission) && 'rates' in admission);
    return admission.rates.key.remaining;
  };
  const first = await remaining(false);
  assert.equal(await remaining(true), first);
  assert.equal(await remaining(false), first - 1);
});

test('a key that the view does not have is decided by the owner', async () => {
  const { call, counts } = installation({ perKey: 1e6, perOrg: 1e6 });
  await call(0);
  const before = counts.asks;
  const refused = await call(0, { digest: digest('another') });
  assert.equal(refused.outcome, 'unauthorized');
  assert.equal(counts.asks, before + 1);
});

test('lower limits end a slice that was given under higher ones', async () => {
  const { call, counts, database, orgId, clock } = installation({ perKey: 1e6, perOrg: 1e6 });
  await call(0);
  await call(0);
  assert.equal(counts.asks, 1);
  const stored = database.byId('organizations', orgId);
  database.apply({
    update: 'organizations',
    filter: { _id: orgId },
    change: { $set: { limits: { perKey: 10, perOrg: 10 }, version: Number(stored?.version) + 1 } },
  });
  clock.advance(2_000);
  await call(0);
  assert.equal(counts.asks, 2);
});

test('a slice is counted on record before any call is admitted from it', async () => {
  const { call, database, orgId } = installation({ perKey: 6_400, perOrg: 64_000 });
  await call(0);
  const windows = database.byId('windows', orgId) as { org?: { calls: number } } | null;
  // The call itself, and a 64th of what was left.
  assert.equal(windows?.org?.calls, 1 + Math.floor(6_399 / 64));
});
