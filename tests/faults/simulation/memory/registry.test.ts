/** Members, leases and partitions of the simulation are those that the real record keeps. */
import { test } from 'node:test';
import fc from 'fast-check';
import { useUntil } from '../../../support/test-hooks.ts';
import { startEngine } from './conformance/engine.ts';
import { RegistryPair, type RegistryStep } from './conformance/registries.ts';

const NAMES = ['deal.1', 'deal.2', 'task.1'];
const RUNS = 60;

// A restarted member's id begins with that of its process, and another's may begin alike.
const id = fc.constantFrom('actors1', 'actors1.2', 'actors12');
const look: fc.Arbitrary<RegistryStep> = fc.constant({ step: 'look' });
const step: fc.Arbitrary<RegistryStep> = fc.oneof(
  { arbitrary: fc.record({ step: fc.constant('join' as const), id }), weight: 2 },
  {
    arbitrary: fc.record({
      step: fc.constantFrom(...(['renew', 'startLeaving', 'leave', 'markDead'] as const)),
      id,
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ step: fc.constant('claim' as const), id, stale: fc.boolean() }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      step: fc.constant('release' as const),
      id,
      names: fc.subarray(NAMES, { minLength: 1 }),
      stale: fc.boolean(),
    }),
    weight: 3,
  },
  // Of a lease of 3 s either a third is left, or nothing: the time of a real call does not matter.
  {
    arbitrary: fc.record({
      step: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, 2_000, 4_000, 3_700_000),
    }),
    weight: 2,
  },
  { arbitrary: look, weight: 2 },
);

const engine = useUntil(startEngine, (started) => started.stop());

test('the same steps end alike, whoever joins, leaves, dies, claims or releases', {
  timeout: 180_000,
}, async () => {
  const { db } = engine.mongo;
  const steps = fc.array(step, { minLength: 10, maxLength: 30, size: 'max' });
  const ends = fc.asyncProperty(steps, async (taken) => {
    await Promise.all(['members', 'partitions'].map((name) => db.collection(name).deleteMany({})));
    const pair = new RegistryPair(db, NAMES);
    for (const each of [...taken, { step: 'look' } as const]) await pair.apply(each);
  });
  await fc.assert(ends, { numRuns: RUNS });
});
