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
import { ManualClock } from '../../support/manual-clock.ts';
import type { Document } from '../../support/plain-store.ts';
import { answerOf, organizationOwner } from './organization-owner.ts';

const TOKEN = 'given-by-the-caller-0123456789';
const PROCESSES = 4;
const { digest } = contextAt(NOW).ids;

interface Limits {
  readonly perKey: number;
  readonly perOrg: number;
}

/** Calls of a key in one process, of which the last one brings it a slice. */
const OFTEN = 9;

const tokenOf = (key: number): string => `${TOKEN}-${key}`;

/** Four processes, and the owner in a fifth, which may be replaced. */
function installation(limits: Limits, keyCount = 1, terms: object = {}) {
  const keys = Array.from({ length: keyCount }, (_, key) => {
    return { ref: `key-${key}`, name: 'ERP', scope: 'account', token: tokenOf(key), ...terms };
  });
  const failing = { fails: false };
  const {
    id: orgId,
    environment,
    database,
    open,
  } = organizationOwner({ limits, keys }, (whole) => ({
    ...whole,
    commit: async (writes, options) => {
      if (failing.fails) throw new Error('no primary');
      return whole.commit(writes, options);
    },
  }));
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
  const call: Call = async (at, more = {}) => {
    const { again = false, key = 0, ...asked } = more;
    const id = `adm_${counts.calls++}`;
    const about = { digest: digest(tokenOf(key)), knownVersion: null };
    const command: AdmitCommand = { id, type: 'admit', ...about, ...asked };
    const asking = { deadline: Number.POSITIVE_INFINITY, repeat: again };
    const admission = await processes[at]?.admit({ orgId, command }, asking);
    return admission ?? assert.fail('no admission');
  };
  const clock = environment.clock as unknown as ManualClock;
  const replaceOwner = () => {
    owner = open();
  };
  /** On record, of the organization. */
  const calls = () => database.byId<Windows>('windows', orgId)?.org?.calls ?? 0;
  const advance = () => clock.advance(RATE_WINDOW_MS);
  return { call, calls, counts, clock, advance, store: failing, database, orgId, replaceOwner };
}

interface Windows extends Document {
  readonly org?: { readonly calls: number };
}

type Call = (
  at: number,
  more?: Partial<AdmitCommand> & { readonly again?: boolean; readonly key?: number },
) => Promise<Admission>;

async function callOften(call: Call): Promise<void> {
  for (let number = 0; number < OFTEN; number++) await call(0);
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
  const thousand = () =>
    Promise.all(Array.from({ length: 1_000 }, (_, number) => call(number % PROCESSES)));
  assert.ok((await thousand()).every(good));
  const before = counts.asks;
  assert.ok((await thousand()).every(good));
  assert.ok(counts.asks - before <= 20, `${counts.asks - before} asks`);
});

test('a key that expires is refused from then on, also where its slice is not used up', async () => {
  const SECONDS = 30;
  const start = new ManualClock().now();
  const expiresAt = new Date(start + SECONDS * 1_000).toISOString();
  const { call, clock } = installation({ perKey: 1e9, perOrg: 1e9 }, 1, { expiresAt });
  await callOften(call);
  clock.advance(SECONDS * 1_000 - 1);
  assert.ok(good(await call(0)));
  clock.advance(1);
  for (let at = 0; at < PROCESSES; at++) {
    assert.deepEqual(await call(at), { outcome: 'unauthorized', expired: true });
  }
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

test('a process asks for a slice once a key calls often, and for no more than it uses', async () => {
  const { call, counts, calls, advance } = installation({ perKey: 1e6, perOrg: 1e6 });
  await callOften(call);
  assert.equal(counts.asks, OFTEN);
  const afterwards = calls() - OFTEN;
  assert.equal(afterwards, 2 * (OFTEN - 1), 'twice the calls that the owner had admitted');
  for (let number = 0; number < 4 * OFTEN; number++) await call(0);
  assert.ok(calls() <= 2 * counts.calls + 2 * OFTEN, `${calls()} of ${counts.calls} calls`);
  // After a window in which it called twice it is admitted by the owner.
  advance();
  await call(0);
  const asks = counts.asks;
  advance();
  await call(0);
  await call(0);
  assert.equal(counts.asks, asks + 2);
});

for (const [keys, limit] of [
  [5, 100_000],
  [100, 100_000],
  [20, 10_000],
] as const) {
  test(`${keys} keys that call once leave a window of ${limit} to the one that calls`, async () => {
    const { call } = installation({ perKey: limit, perOrg: limit }, keys);
    let admitted = 0;
    for (let key = 0; key < keys; key++) {
      for (let at = 0; at < PROCESSES; at++) admitted += Number(good(await call(at, { key })));
    }
    assert.equal(admitted, keys * PROCESSES);
    while (admitted < limit && good(await call(admitted % PROCESSES))) admitted++;
    assert.ok(admitted >= 0.95 * limit, `${admitted} of ${limit}`);
  });
}

test('a store that fails for a moment uses up nothing of a window', async () => {
  const { call, calls, store } = installation({ perKey: 100_000, perOrg: 100_000 });
  store.fails = true;
  for (let number = 0; number < 100; number++) assert.ok(good(await call(0)));
  store.fails = false;
  await callOften(call);
  assert.ok(calls() <= 4 * (100 + OFTEN), `${calls()} are counted`);
});

test('a slice is given only where it is on record', async () => {
  const { call, counts, database, orgId } = installation({ perKey: 1e6, perOrg: 1e6 });
  for (let number = 1; number < OFTEN; number++) await call(0);
  const ofLaterOwner = { $set: { stamp: 2 ** 40 } };
  database.apply({ update: 'windows', filter: { _id: orgId }, change: ofLaterOwner, upsert: true });
  await call(0);
  await call(0);
  assert.equal(counts.asks, OFTEN + 1);
});

test('of one call asked twice, by two processes, one gets a slice', async () => {
  const { call, counts } = installation({ perKey: 1e6, perOrg: 1e6 });
  for (const at of [0, 1]) for (let number = 1; number < OFTEN; number++) await call(at);
  await call(0, { id: 'adm_once' });
  await call(1, { id: 'adm_once', again: true });
  const asks = counts.asks;
  await call(0);
  assert.equal(counts.asks, asks);
  await call(1);
  assert.equal(counts.asks, asks + 1, 'the second process has none');
});

test('a slice ends with its window', async () => {
  const { call, counts, clock } = installation({ perKey: 1e6, perOrg: 1e6 });
  await callOften(call);
  clock.advance(RATE_WINDOW_MS - 1);
  await call(0);
  assert.equal(counts.asks, OFTEN);
  clock.advance(1);
  await call(0);
  assert.equal(counts.asks, OFTEN + 1);
});

test('a repeat counts nothing while its process has a slice', async () => {
  const { call } = installation({ perKey: 1e6, perOrg: 1e6 });
  await callOften(call);
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
  await callOften(call);
  const refused = await call(0, { digest: digest('another') });
  assert.equal(refused.outcome, 'unauthorized');
  assert.equal(counts.asks, OFTEN + 1);
});

test('lower limits end a slice that was given under higher ones', async () => {
  const { call, counts, database, orgId, clock } = installation({ perKey: 1e6, perOrg: 1e6 });
  await callOften(call);
  await call(0);
  assert.equal(counts.asks, OFTEN);
  const stored = database.byId('organizations', orgId);
  database.apply({
    update: 'organizations',
    filter: { _id: orgId },
    change: { $set: { limits: { perKey: 10, perOrg: 10 }, version: Number(stored?.version) + 1 } },
  });
  clock.advance(2_000);
  await call(0);
  assert.equal(counts.asks, OFTEN + 1);
});

test('a slice is counted on record before any call is admitted from it', async () => {
  const { call, calls } = installation({ perKey: 6_400, perOrg: 64_000 });
  for (let number = 1; number < OFTEN; number++) await call(0);
  assert.equal(calls(), 0, 'calls are written once a second');
  await call(0);
  assert.equal(calls(), OFTEN + 2 * (OFTEN - 1));
});
