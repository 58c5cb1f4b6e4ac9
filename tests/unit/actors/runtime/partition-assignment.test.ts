/** An assignment stands for the members and owners that it was computed from, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartitionAssignment } from '../../../../actors/runtime/partition-assignment.ts';
import type { Member } from '../../../../shared/ports/registry.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';

const A: Member = { id: 'a', kinds: ACTOR_KINDS, weight: 1, leaving: false };
const B: Member = { ...A, id: 'b' };
const ROW = { name: 'deal.1', owner: 'a', epoch: 1 };
const FREE = { name: 'deal.2', owner: null, epoch: 0 };

test('an assignment is for its members as they are, with their weights', () => {
  const assignment = new PartitionAssignment([A, B], [ROW]);
  assert.ok(assignment.isFor([{ ...A }, { ...B }]));
  const others: Member[][] = [[A], [B, A], [A, { ...B, weight: 2 }], [A, { ...B, leaving: true }]];
  others.push([A, { ...B, kinds: ACTOR_KINDS.toSpliced(0, 1) }], [A, { ...B, id: 'b.2' }], []);
  for (const other of others) assert.ok(!assignment.isFor(other), JSON.stringify(other));
});

test('an assignment is from the owners on record, under whatever epochs', () => {
  const assignment = new PartitionAssignment([A], [ROW, FREE]);
  assert.ok(assignment.isFrom([{ ...ROW, epoch: 7 }, FREE]));
  for (const other of [[ROW], [FREE, ROW], [{ ...ROW, owner: 'b' }, FREE], []]) {
    assert.ok(!assignment.isFrom(other), JSON.stringify(other));
  }
});
