/** Draws of a seed: reproducible, of every kind in the long run, and only of requested kinds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScheduleOptions } from './program/planned-fault.ts';
import { drawSchedule, FAULT_KINDS } from './program/schedule.ts';
import { SET_FAULT_KINDS } from './program/set-faults.ts';

const OPTIONS: ScheduleOptions = {
  seed: 1,
  lengthMs: 3_600_000,
  processes: ['nats', 'mongo', 'network', 'subscriber', 'actors-1', 'actors-2', 'gateway-1'],
  links: ['actors-1:mongo', 'actors-2:mongo', 'gateway-1:nats', 'actors:subscriber'],
  only: [],
};

test('a seed draws the same faults again, another one others', () => {
  assert.deepEqual(drawSchedule(OPTIONS), drawSchedule(OPTIONS));
  assert.notDeepEqual(drawSchedule(OPTIONS), drawSchedule({ ...OPTIONS, seed: 2 }));
});

test('an hour meets every kind, every process and every link', () => {
  const faults = drawSchedule(OPTIONS);
  assert.deepEqual([...new Set(faults.map(({ kind }) => kind))].sort(), [...FAULT_KINDS].sort());
  const met = new Set(faults.flatMap(({ targets }) => targets));
  for (const name of [...OPTIONS.processes, ...OPTIONS.links]) assert.ok(met.has(name), name);
  assert.ok(faults.length > 500, `${faults.length} faults`);
});

test('only what was asked for comes, and all of it is healed within the run', () => {
  const faults = drawSchedule({ ...OPTIONS, only: ['kill:actors', 'stall:mongo'] });
  assert.deepEqual([...new Set(faults.map(({ kind }) => kind))].sort(), ['kill', 'stall']);
  const met = new Set(faults.flatMap(({ targets }) => targets));
  assert.deepEqual([...met].sort(), ['actors-1', 'actors-1:mongo', 'actors-2', 'actors-2:mongo']);
  for (const { atMs, forMs } of faults) assert.ok(atMs + forMs <= OPTIONS.lengthMs);
});

test('an owner stands still for longer than its lease', () => {
  const faults = drawSchedule({ ...OPTIONS, only: ['stop:actors'] });
  for (const { atMs, forMs } of faults) {
    assert.ok(forMs > 3_000 || atMs + forMs === OPTIONS.lengthMs, `${forMs} ms`);
  }
});

test('a replica set has faults of its own, one after another, beside the others of a seed', () => {
  const faults = drawSchedule({ ...OPTIONS, hasSet: true });
  const ofSet = faults.filter(({ what }) => what.deed === 'set');
  assert.deepEqual([...new Set(ofSet.map(({ kind }) => kind))].sort(), SET_FAULT_KINDS.toSorted());
  const others = faults.filter(({ what }) => what.deed !== 'set');
  assert.deepEqual(others, drawSchedule(OPTIONS));
  for (const [index, { atMs, forMs }] of ofSet.entries()) {
    const next = ofSet[index + 1]?.atMs ?? OPTIONS.lengthMs;
    assert.ok(atMs + forMs <= next, `${atMs} ms`);
  }
  const ahead = ofSet.map(({ what }) => (what.deed === 'set' ? what.aheadMs : 0));
  // docs/operations.md, "Your own NATS and MongoDB".
  assert.ok(Math.max(...ahead) - Math.min(...ahead) < 60_000);
});
