/** An overloaded store answers everything late: it must not be asked twice for everything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HedgeBudget } from '../../../../../infra/adapters/nats/hedge-budget.ts';
import { forAll } from '../../../../support/property.ts';

const BURST = 5;
const PERIOD_MS = 5_000;

/** How many of so many hedges are allowed. */
function taken(budget: HedgeBudget, wanted: number, now: number): number {
  return Array.from({ length: wanted }, () => budget.take(now)).filter(Boolean).length;
}

function counted(budget: HedgeBudget, queries: number, now: number): void {
  for (let query = 0; query < queries; query++) budget.count(now);
}

test('a service at rest has the burst alone', () => {
  assert.equal(taken(new HedgeBudget(), 100, 1_000), BURST);
});

test('beyond the burst one query in twenty may be hedged', () => {
  const budget = new HedgeBudget();
  counted(budget, 1_000, 1_000);
  assert.equal(taken(budget, 1_000, 1_000), BURST + 50);
});

test('queries and hedges of the last seconds count, earlier ones do not', () => {
  const budget = new HedgeBudget();
  counted(budget, 1_000, 1_000);
  assert.equal(taken(budget, 100, PERIOD_MS), BURST + 50);
  assert.equal(taken(budget, 100, PERIOD_MS * 2), 0);
  assert.equal(taken(budget, 100, PERIOD_MS * 3), BURST);
  assert.equal(taken(budget, 100, PERIOD_MS * 9), BURST);
});

test('over any time hedges are a twentieth of the queries, and a burst for every ten seconds', () => {
  const steps = fc.array(
    fc.record({
      passedMs: fc.integer({ min: 0, max: 4_000 }),
      queries: fc.nat(200),
      wanted: fc.nat(200),
    }),
    { maxLength: 60 },
  );
  forAll([steps], (all) => {
    const budget = new HedgeBudget();
    let now = 0;
    let queries = 0;
    let hedges = 0;
    for (const step of all) {
      now += step.passedMs;
      queries += step.queries;
      counted(budget, step.queries, now);
      hedges += taken(budget, step.wanted, now);
    }
    const bursts = Math.ceil((Math.floor(now / PERIOD_MS) + 1) / 2);
    assert.ok(hedges <= 0.05 * queries + BURST * bursts, `${hedges} of ${queries}`);
  });
});
