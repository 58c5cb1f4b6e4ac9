/** Several members on one record, as they come, leave and die: each gets its share, and no more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LEASE_MS, PARTITIONS } from '../../../shared/limits.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import { Fleet } from './members.ts';
import { settle } from './settle.ts';

const STEP_MS = 500;
const REST_MS = 12_000;

/** Longer than members take to agree, with every partition held by its owner on record. */
async function rest(fleet: Fleet): Promise<void> {
  for (let passed = 0; passed < REST_MS; passed += STEP_MS) {
    fleet.clock.advance(STEP_MS);
    await settle();
  }
  for (const [id, { held }] of fleet.members) {
    const owned = fleet.record.partitions().filter(({ owner }) => owner === id);
    assert.deepEqual(new Map(owned.map(({ name, epoch }) => [name, epoch])), held);
  }
}

function owners(fleet: Fleet): ReadonlyMap<string, string | null> {
  const rows = fleet.record.partitions();
  assert.equal(rows.length, ACTOR_KINDS.length * PARTITIONS);
  return new Map(rows.map(({ name, owner }) => [name, owner]));
}

/** How many partitions of each kind a member has. */
function shares(fleet: Fleet, id: string): readonly number[] {
  const owned = [...owners(fleet)].filter(([, owner]) => owner === id);
  return ACTOR_KINDS.map((kind) => owned.filter(([name]) => name.startsWith(`${kind}.`)).length);
}

function assertEven(fleet: Fleet): void {
  const cap = Math.ceil(PARTITIONS / fleet.members.size);
  for (const id of fleet.members.keys()) {
    assert.ok(Math.max(...shares(fleet, id)) <= cap, `${id}: ${shares(fleet, id)}`);
  }
  for (const [name, owner] of owners(fleet)) assert.ok(fleet.members.has(owner ?? ''), name);
}

async function startedFleet(ids: readonly string[]): Promise<Fleet> {
  const fleet = new Fleet();
  await Promise.all(ids.map((id) => fleet.start(id)));
  await rest(fleet);
  assertEven(fleet);
  return fleet;
}

test('a fourth member takes its share from three, and the others keep theirs', async () => {
  const fleet = await startedFleet(['a', 'b', 'c']);
  const before = owners(fleet);
  await fleet.start('d');
  await rest(fleet);
  assertEven(fleet);
  const moved = [...owners(fleet)].filter(([name, owner]) => before.get(name) !== owner);
  const share = PARTITIONS - 3 * Math.ceil(PARTITIONS / 4);
  assert.equal(moved.length, ACTOR_KINDS.length * share);
  assert.ok(moved.every(([, owner]) => owner === 'd'));
});

for (const end of ['leave', 'kill'] as const) {
  test(`of four members one is gone (${end}): only its partitions move`, async () => {
    const fleet = await startedFleet(['a', 'b', 'c', 'd']);
    const before = owners(fleet);
    await fleet[end]('b');
    await rest(fleet);
    assertEven(fleet);
    for (const [name, owner] of owners(fleet)) {
      if (before.get(name) !== 'b') assert.equal(owner, before.get(name));
    }
  });
}

test('a member of three times the weight has three times the partitions', async () => {
  const fleet = await startedFleet(['a']);
  await fleet.start('b', 3);
  await rest(fleet);
  for (const held of shares(fleet, 'b')) assert.equal(held, (PARTITIONS * 3) / 4);
  for (const held of shares(fleet, 'a')) assert.equal(held, PARTITIONS / 4);
});

test('a member that comes while another still drains takes nothing of what is not released', async () => {
  const fleet = await startedFleet(['a', 'b']);
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>();
  const slow = fleet.members.get('a');
  assert.ok(slow);
  const before = owners(fleet);
  slow.beforeRelease = () => drained;
  await fleet.start('c');
  await fleet.start('d');
  fleet.clock.advance(LEASE_MS / 3);
  await settle();
  for (const [name, owner] of before) {
    if (owner === 'a') assert.equal(owners(fleet).get(name), 'a');
  }
  drain();
  await rest(fleet);
  assertEven(fleet);
});

test('members that read at different moments agree in the end', async () => {
  const turns = fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 20, maxLength: 60 });
  const agree = fc.asyncProperty(turns, async (given) => {
    let at = 0;
    const fleet = new Fleet(() => given[at++ % given.length] ?? 0);
    await Promise.all(['a', 'b'].map((id) => fleet.start(id)));
    await Promise.all(['c', 'd', 'e'].map((id) => fleet.start(id)));
    await rest(fleet);
    assertEven(fleet);
  });
  // One in some fifty tells whether placements are of owners as they were read last.
  const telling = [
    [1, 9, 4, 4, 22, 9, 22, 21, 3, 14, 0, 19, 10, 20, 4, 24, 1, 3, 11, 7, 17, 3],
  ] as const;
  const examples: [number[]][] = telling.map((given) => [[...given]]);
  await fc.assert(agree, { numRuns: 15, endOnFailure: true, examples });
});

test('a member that comes while another leaves has its partitions as soon as they are released', async () => {
  const fleet = await startedFleet(['a', 'b']);
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>();
  const slow = fleet.members.get('a');
  assert.ok(slow);
  slow.beforeRelease = () => drained;
  const left = fleet.leave('a');
  await settle();
  await fleet.start('c');
  await settle();
  drain();
  await left;
  // No time passes: else asks would wait for the next renewal.
  await settle();
  assertEven(fleet);
});

test('nothing moves while the members stay', async () => {
  const fleet = await startedFleet(['a', 'b', 'c', 'd', 'e']);
  const epochs = fleet.record.partitions();
  await rest(fleet);
  assert.deepEqual(fleet.record.partitions(), epochs);
});
