/** The busiest partitions and organizations of a process (D360). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HeavyHitters, together } from '../../../../actors/operations/heavy-hitters.ts';
import { organizationOf, TurnLoad } from '../../../../actors/operations/turn-load.ts';
import type { CommandOf } from '../../../../shared/ports/bus.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { withRuns } from '../../../support/property.ts';

const check = withRuns(500);
const capacities = fc.integer({ min: 1, max: 6 });
/** Few keys among many: some are frequent. */
const keys = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.stringMatching(/^[d-z]{1,2}$/));
const streams = fc.array(keys, { maxLength: 200 });

function counted(stream: readonly string[], capacity: number): HeavyHitters {
  const hitters = new HeavyHitters(capacity);
  for (const key of stream) hitters.count(key, 1);
  return hitters;
}

function exactly(stream: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(stream, (key) => key)].map(([key, { length }]) => [key, length]));
}

test('a key with more than its share of the counts is held, in bounded memory', () => {
  check([streams, capacities], (stream, capacity) => {
    const held = counted(stream, capacity).counters();
    assert.ok(held.size <= capacity);
    const missed = stream.length / (capacity + 1);
    for (const [key, count] of exactly(stream)) {
      const { turns = 0 } = held.get(key) ?? {};
      if (count > missed) assert.ok(turns > 0, `${key} is held`);
      assert.ok(turns <= count && turns >= count - missed, `${key}: ${turns} of ${count}`);
    }
  });
});

test('so it is in two windows together', () => {
  check([streams, streams, capacities], (one, other, capacity) => {
    const held = together(counted(one, capacity).counters(), counted(other, capacity).counters());
    const all = [...one, ...other];
    for (const [key, count] of exactly(all)) {
      const { turns = 0 } = held.get(key) ?? {};
      assert.ok(turns <= count && turns >= count - all.length / (capacity + 1), key);
    }
  });
});

test('the loads are those of the last ten seconds, the most turns first', () => {
  const clock = new ManualClock();
  const load = new TurnLoad(clock);
  for (let second = 0; second < 20; second++) {
    for (let turn = 0; turn < 10; turn++) load.record('conversation.7', 'org_loud', 50);
    load.record('contact.1', second < 5 ? 'org_gone' : 'org_calm', 10);
    load.record('person.1', null, 1);
    clock.advance(1_000);
  }
  const { partitions, organizations } = load.busiest();
  assert.deepEqual(organizations, [
    { key: 'org_loud', turnsPerSecond: 10, busy: 0.5 },
    { key: 'org_calm', turnsPerSecond: 1, busy: 0.01 },
  ]);
  assert.deepEqual(
    partitions.map(({ key, turnsPerSecond }) => [key, turnsPerSecond]),
    [
      ['conversation.7', 10],
      ['contact.1', 1],
      ['person.1', 1],
    ],
  );
  clock.advance(10_000);
  assert.deepEqual(load.busiest(), { partitions: [], organizations: [] });
});

test('one loud organization is first among a hundred thousand', () => {
  const load = new TurnLoad(new ManualClock());
  for (let calm = 0; calm < 100_000; calm++) {
    load.record('conversation.1', `org_${calm}`, 1);
    if (calm % 50 === 0) load.record('conversation.2', 'org_loud', 1);
  }
  const { organizations } = load.busiest();
  assert.equal(organizations[0]?.key, 'org_loud');
  assert.ok(organizations.length <= 20);
});

test('a turn is of the organization of its actor, of its key or of its command', () => {
  const receipt = { id: 'cmd_1', type: 'receipt' } as unknown as CommandOf;
  const send = { id: 'cmd_2', type: 'send', orgId: 'org_2' } as unknown as CommandOf;
  const conversation = { kind: 'conversation', key: 'cnv_1' } as const;
  assert.equal(organizationOf(conversation, receipt, 'org_1'), 'org_1');
  assert.equal(organizationOf(conversation, send, undefined), 'org_2');
  assert.equal(organizationOf(conversation, receipt, undefined), null);
  assert.equal(organizationOf({ kind: 'organization', key: 'org_3' }, receipt, undefined), 'org_3');
});
