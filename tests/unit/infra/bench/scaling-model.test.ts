/** The scaling model against points worked out by hand, and against the real placement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placePartitions } from '../../../../actors/runtime/placement.ts';
import { checkedAgainst, costsOf } from '../../../../infra/bench/scaling/costs.ts';
import { limitsOf, type Parts, unevenness } from '../../../../infra/bench/scaling/model.ts';
import { PARTITIONS } from '../../../../shared/limits.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';

const COSTS = {
  ...{ gateway: 1, actors: 2, actorsApart: 4, nats: 0.5, natsApart: 1, mongo: 3 },
  byKind: { conversation: 2, subscription: 1 },
};
const SMALL: Parts = {
  ...{ cores: 2, primaries: 1, coresPerPrimary: 2, share: 0.6 },
  ...{ natsServers: 1, coresPerNatsServer: 2 },
};

function near(actual: number | undefined, expected: number, share = 0.001): void {
  const off = Math.abs((actual ?? Number.NaN) / expected - 1);
  assert.ok(off <= share, `${actual} is not ${expected}`);
}

test('two cores: one actors process, every ask local, all parts share the cores', () => {
  const { processes, perSecond, first, rate } = limitsOf(COSTS, SMALL);
  assert.equal(processes, 1);
  near(perSecond.cores, 1200 / 6.5);
  near(perSecond.partitions, 600 / 2);
  near(perSecond.mongodb, 1200 / 3);
  near(perSecond.nats, 1200 / 0.5);
  near(perSecond.subscription, 600);
  assert.equal(first, 'cores');
  near(rate, 184.6);
});

test('a hundred cores: 43 of 44 asks leave the process, a primary has 16 cores', () => {
  const parts = { ...SMALL, cores: 100, coresPerPrimary: 16, coresPerNatsServer: 4 };
  const { processes, perSecond } = limitsOf(COSTS, parts);
  assert.equal(processes, 44);
  near(perSecond.cores, 60_000 / (1 + 3.9545 + 0.9886 + 3));
  near(perSecond.partitions, 600 / 3.9545 / (Math.ceil(PARTITIONS / 44) / PARTITIONS));
  near(perSecond.mongodb, 3_200);
  near(perSecond.nats, 2_400 / 0.9886);
  near(perSecond.subscription, 600);
});

test('three primaries bear three times as much, three NATS servers 1.8 times', () => {
  const one = limitsOf(COSTS, { ...SMALL, cores: 100 });
  const three = limitsOf(COSTS, { ...SMALL, cores: 100, primaries: 3, natsServers: 3 });
  near(three.perSecond.mongodb, 3 * (one.perSecond.mongodb ?? 0));
  near(three.perSecond.nats, (3 / (5 / 3)) * (one.perSecond.nats ?? 0));
});

test('the least limit is named, one subscription aside', () => {
  const { first, rate } = limitsOf({ ...COSTS, mongo: 30 }, { ...SMALL, coresPerPrimary: 1 });
  assert.equal(first, 'mongodb');
  near(rate, 20);
  const byOne = limitsOf({ ...COSTS, byKind: { subscription: 1_000 } }, SMALL);
  assert.notEqual(byOne.first, 'subscription');
});

test('the busiest of so many processes is as the placement makes it', () => {
  for (const processes of [1, 3, 8, 48, 100]) {
    const members = Array.from({ length: processes }, (_, at) => {
      return { id: `member-${at}`, kinds: ACTOR_KINDS, weight: 1 };
    });
    const placed = [...placePartitions(members, [])].filter(([name]) => name.startsWith('deal.'));
    const held = Map.groupBy(placed, ([, owner]) => owner);
    const busiest = Math.max(...[...held.values()].map((those) => those.length));
    near(unevenness(processes), (busiest * processes) / PARTITIONS);
  }
});

test('what asks cost apart is told from four processes, three quarters of whose asks leave', () => {
  const columns = ['gateways + actors', 'gateway', 'actors', 'nats', 'mongo'];
  const rows = [
    ['1 + 1', 0.9, 2, 0.5, 2.9],
    ['2 + 2', 0.95, 3, 0.75, 2.95],
    ['4 + 4', 1, 3.5, 0.875, 3],
  ];
  const bench = { columns: columns.map((name) => ({ name })), rows };
  const byKind = { rows: Object.entries(COSTS.byKind) };
  assert.deepEqual(costsOf({ suite: 'scale-out', tables: [bench, byKind] }), COSTS);
});

test('the model is held against the formations that it takes no cost from', () => {
  const columns = ['gateways + actors', 'actors', 'nats'].map((name) => ({ name }));
  const formations = {
    columns,
    rows: [
      ['2 + 2', 3.3, 0.75],
      ['8 + 8', 3.75, 1],
      ['a process per kind', 9, 2],
    ],
  };
  const checked = checkedAgainst({ suite: 'scale-out', tables: [formations, { rows: [] }] }, COSTS);
  const predicted = checked.map((each) => [each.processes, each.part, each.predicted]);
  assert.deepEqual(predicted, [
    [2, 'actors', 3],
    [2, 'nats', 0.75],
    [8, 'actors', 3.75],
    [8, 'nats', 0.9375],
  ]);
});
