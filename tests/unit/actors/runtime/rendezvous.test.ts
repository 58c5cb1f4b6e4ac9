import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assignedOwner } from '../../../../actors/runtime/partition-assignment.ts';
import { PARTITIONS } from '../../../../shared/limits.ts';
import type { Member } from '../../../../shared/ports/registry.ts';
import type { ActorKind } from '../../../../shared/vocabulary.ts';
import { partitionName } from '../../../../shared/wire/subjects.ts';
import { withRuns } from '../../../support/property.ts';

const forAll = withRuns(300);
const KINDS = ['organization', 'contact', 'conversation', 'channel', 'subscription'] as const;
const ALL = KINDS.flatMap((kind) =>
  Array.from({ length: PARTITIONS }, (_, number) => partitionName({ kind, number })),
);

const memberArb = (kinds: fc.Arbitrary<readonly ActorKind[]>): fc.Arbitrary<Member> =>
  fc.record({
    id: fc.string({ unit: fc.constantFrom(...'abcdef0123456789-.'), minLength: 3, maxLength: 30 }),
    kinds,
    leaving: fc.boolean(),
  });
const membersOf = (kinds: fc.Arbitrary<readonly ActorKind[]>, minLength: number) =>
  fc.uniqueArray(memberArb(kinds), { selector: ({ id }) => id, minLength, maxLength: 8 });
const someKinds = fc.subarray([...KINDS]);
const everyKind = fc.constant([...KINDS]);

const ownersOf = (members: readonly Member[]) => ALL.map((name) => assignedOwner(name, members));

test('design, Ownership: everybody comes to the same owner, in whatever order he sees the members', () => {
  const shuffled = membersOf(someKinds, 0).chain((members) =>
    fc.tuple(
      fc.constant(members),
      fc.shuffledSubarray(members, { minLength: members.length, maxLength: members.length }),
    ),
  );
  forAll([shuffled], ([members, again]) => {
    assert.deepEqual(ownersOf(again), ownersOf(members));
  });
});

test('an owner stays, runs the kind, and there is one whenever somebody does', () => {
  forAll([membersOf(someKinds, 0)], (members) => {
    ownersOf(members).forEach((owner, index) => {
      const kind = KINDS[Math.floor(index / PARTITIONS)];
      const able = members.filter(
        (member) => kind && !member.leaving && member.kinds.includes(kind),
      );
      assert.equal(owner === null, able.length === 0);
      if (owner !== null) assert.ok(able.some(({ id }) => id === owner));
    });
  });
});

test('who comes takes only for himself; who goes hands over only his own', () => {
  forAll([membersOf(everyKind, 2)], (members) => {
    const [newcomer, ...others] = members;
    assert.ok(newcomer);
    const before = ownersOf(others);
    const after = ownersOf(members);
    after.forEach((owner, index) => {
      if (owner !== before[index]) assert.equal(owner, newcomer.id);
    });
  });
});

test('partitions are spread evenly: nobody has twice his share, nobody a third of it', () => {
  for (let count = 2; count <= 6; count++) {
    for (let round = 0; round < 50; round++) {
      const members = Array.from({ length: count }, (_, index) => ({
        id: `actors-${round}-${index}`,
        kinds: KINDS,
        leaving: false,
      }));
      const held = Map.groupBy(ownersOf(members), (owner) => owner);
      for (const { id } of members) {
        const share = ((held.get(id)?.length ?? 0) * count) / ALL.length;
        assert.ok(share < 2 && share > 1 / 3, `${id} of ${count} holds ${share} of its share`);
      }
    }
  }
});
