/** Placement against a model: caps, the fewest moves, and members that read at different moments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placePartitions } from '../../../../actors/runtime/placement.ts';
import { PARTITIONS } from '../../../../shared/limits.ts';
import type { Member } from '../../../../shared/ports/registry.ts';
import { ACTOR_KINDS, type ActorKind, CO_LOCATED_WITH } from '../../../../shared/vocabulary.ts';
import { partitionName } from '../../../../shared/wire/subjects.ts';
import { withRuns } from '../../../support/property.ts';
import { Readers } from './readers.ts';

const forAll = withRuns(200);
const NUMBERS = Array.from({ length: PARTITIONS }, (_, number) => number);
const NAMES = ACTOR_KINDS.flatMap((kind) =>
  NUMBERS.map((number) => partitionName({ kind, number })),
);
const EVEN = [2, 3, 4, 5, 6, 7, 8, 9, 16, 48, PARTITIONS, 2 * PARTITIONS];

type OwnersNow = ReadonlyMap<string, string | null>;

const weight = fc.oneof(
  fc.constant(1),
  fc.integer({ min: 1, max: 4 }),
  fc.integer({ min: 1, max: 100 }),
);
const kinds = fc.oneof(fc.constant(ACTOR_KINDS), fc.subarray([...ACTOR_KINDS]));
const leaving = fc.nat(5).map((roll) => roll === 0);
const members = fc
  .array(fc.record({ weight, kinds, leaving }), { maxLength: 8 })
  .map((those): readonly Member[] => those.map((each, at) => ({ ...each, id: `m${at}` })));

/** A pattern that repeats: members, the dead, nobody. */
const earlier = fc.array(fc.nat(11), { minLength: 1, maxLength: 40 });

function ownersBy(pattern: readonly number[]): OwnersNow {
  const owner = (drawn: number) =>
    drawn === 11 ? null : drawn >= 8 ? `dead${drawn}` : `m${drawn}`;
  return new Map(NAMES.map((name, at) => [name, owner(pattern[at % pattern.length] ?? 0)]));
}

const rowsOf = (owners: OwnersNow) =>
  [...owners].map(([name, owner]) => ({ name, owner, epoch: owner === null ? 0 : 1 }));
const placed = (those: readonly Member[], owners: OwnersNow): OwnersNow =>
  placePartitions(those, rowsOf(owners));
const able = (kind: ActorKind, those: readonly Member[]) =>
  those.filter((member) => !member.leaving && member.kinds.includes(kind));
const numbersOf = (owners: OwnersNow, kind: ActorKind, id: string) =>
  NUMBERS.filter((number) => owners.get(partitionName({ kind, number })) === id);

/** In whole numbers only. */
function capIn(those: readonly Member[], member: Member): number {
  const sum = those.reduce((all, each) => all + each.weight, 0);
  return Math.floor((PARTITIONS * member.weight + sum - 1) / sum);
}

/** Numbers of the kind whose lead's new owner runs the kind too, and that member. */
function followed(kind: ActorKind, those: readonly Member[], after: OwnersNow) {
  const lead = CO_LOCATED_WITH[kind];
  const run = new Set(able(kind, those).map(({ id }) => id));
  return new Map(
    NUMBERS.flatMap((number) => {
      const owner = lead && after.get(partitionName({ kind: lead, number }));
      return owner && run.has(owner) ? [[number, owner] as const] : [];
    }),
  );
}

test('every partition that a member can run has one that stays and runs it, and no other has', () => {
  forAll([members, earlier], (those, pattern) => {
    const before = ownersBy(pattern);
    const after = placed(those, before);
    assert.deepEqual([...after.keys()].toSorted(), NAMES.toSorted());
    for (const kind of ACTOR_KINDS) {
      const ids: readonly (string | null)[] = able(kind, those).map(({ id }) => id);
      const among = ids.length > 0 ? ids : [null];
      for (const number of NUMBERS) {
        assert.ok(among.includes(after.get(partitionName({ kind, number })) ?? null));
      }
    }
  });
});

test('no member has more of a kind than its cap, but what follows its lead', () => {
  forAll([members, earlier], (those, pattern) => {
    const before = ownersBy(pattern);
    const after = placed(those, before);
    for (const kind of ACTOR_KINDS) {
      const run = able(kind, those);
      const led = followed(kind, those, after);
      for (const member of run) {
        const held = numbersOf(after, kind, member.id);
        const follow = held.filter((number) => led.has(number));
        assert.ok(held.length <= Math.max(capIn(run, member), follow.length), kind);
      }
      for (const [number, owner] of led) {
        assert.equal(after.get(partitionName({ kind, number })), owner);
      }
    }
  });
});

test('as few partitions move as the caps allow', () => {
  forAll([members, earlier], (those, pattern) => {
    const before = ownersBy(pattern);
    const after = placed(those, before);
    for (const kind of ACTOR_KINDS) {
      const run = able(kind, those);
      const led = followed(kind, those, after);
      const name = (number: number) => partitionName({ kind, number });
      const forced = [...led].filter(([number, owner]) => before.get(name(number)) !== owner);
      const apart = PARTITIONS - led.size;
      const kept = run.reduce((sum, member) => {
        const follow = [...led.values()].filter((owner) => owner === member.id).length;
        const held = numbersOf(before, kind, member.id).filter((number) => !led.has(number));
        return sum + Math.min(held.length, Math.max(0, capIn(run, member) - follow));
      }, 0);
      const least = forced.length + (run.length > 0 ? apart - kept : 0);
      const moved = NUMBERS.filter((number) => {
        const owner = after.get(name(number));
        return owner !== null && owner !== before.get(name(number));
      });
      assert.equal(moved.length, least, kind);
    }
  });
});

test('nothing moves once the placement is carried out, in whatever order it is read', () => {
  const shuffled = members.chain((those) =>
    fc.tuple(
      fc.constant(those),
      fc.shuffledSubarray([...those], { minLength: those.length, maxLength: those.length }),
    ),
  );
  forAll([shuffled, earlier], ([those, again], pattern) => {
    const before = ownersBy(pattern);
    const after = placed(those, before);
    assert.deepEqual(placed(again, new Map([...before].toReversed())), after);
    assert.deepEqual(placed(again, after), after);
  });
});

test('of equal members none has two partitions more than another, and the odd ones are spread', () => {
  for (const count of EVEN) {
    const those = Array.from({ length: count }, (_, at) => {
      return { id: `actors-${at}`, kinds: ACTOR_KINDS, weight: 1 };
    });
    const after = placed(those, new Map());
    const totals = those.map(({ id }) => {
      const counts = ACTOR_KINDS.map((kind) => numbersOf(after, kind, id).length);
      const even = PARTITIONS / count;
      for (const held of counts) {
        assert.ok(held === Math.floor(even) || held === Math.ceil(even), `${held} of ${count}`);
      }
      const together = ACTOR_KINDS.filter((kind) => !CO_LOCATED_WITH[kind]);
      return together.reduce((sum, kind) => sum + numbersOf(after, kind, id).length, 0);
    });
    assert.ok(Math.max(...totals) - Math.min(...totals) <= 1, `of ${count}`);
  }
});

test('a member has its share for its weight, to one partition', () => {
  const weights = fc.array(weight, { minLength: 1, maxLength: 8 });
  forAll([weights], (given) => {
    const those = given.map((each, at) => ({ id: `m${at}`, kinds: ACTOR_KINDS, weight: each }));
    const sum = given.reduce((all, each) => all + each, 0);
    const after = placed(those, new Map());
    for (const member of those) {
      const share = (PARTITIONS * member.weight) / sum;
      const held = numbersOf(after, 'channel', member.id).length;
      // Halves of others round up too.
      assert.ok(held > share - those.length && held < share + 1, `${held} of ${share}`);
    }
  });
});

test('members that read at different moments agree in the end, and none claims beyond its cap', () => {
  const orders = fc.array(fc.nat(7), { maxLength: 120 });
  forAll([members, members, earlier, orders, orders], (old, those, pattern, first, then) => {
    const readers = new Readers(rowsOf(ownersBy(pattern)));
    // Some act on the members as they were, all the time until others come and go.
    readers.members = old;
    for (const at of first) readers.step(`m${at}`);
    readers.members = those;
    readers.bury();
    for (const at of then) readers.step(`m${at}`);
    readers.settle();
    assert.deepEqual(readers.beyondCap, []);
    const ends = new Map(readers.rows().map(({ name, owner }) => [name, owner]));
    const staying = those.filter((member) => !member.leaving);
    if (staying.length === 0) return;
    for (const [name, owner] of placed(those, ends)) {
      if (owner !== null) assert.equal(ends.get(name), owner, name);
    }
    assert.ok(readers.handOversAtRest <= 1, 'a partition that found its owner goes to no other');
  });
});
