/** D429: what an entry changes of assignment and resolution, whoever decided it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf } from '../../../../../actors/domain/conversation/facts.ts';

const OPEN = { status: 'open', assignedTo: null } as const;
const RESOLVED = { status: 'resolved', assignedTo: 'mbr_ana' } as const;
const assigned = (fromMemberId: string | null, toMemberId: string | null) => ({
  event: 'conversation.assigned',
  fromMemberId,
  toMemberId,
});
const resolved = { event: 'conversation.resolved' };
const reopened = { event: 'conversation.reopened' };

test('what stays as it was is no fact', () => {
  for (const state of [OPEN, RESOLVED]) assert.deepEqual(factsOf(state, state), []);
  assert.deepEqual(factsOf(OPEN, { ...OPEN, status: 'in_flow' }), []);
  assert.deepEqual(factsOf({ ...OPEN, status: 'in_flow' }, OPEN), []);
  assert.deepEqual(factsOf(null, OPEN), []);
});

test('each change is one fact, in an order that makes sense', () => {
  assert.deepEqual(factsOf(OPEN, RESOLVED), [assigned(null, 'mbr_ana'), resolved]);
  assert.deepEqual(factsOf(RESOLVED, OPEN), [reopened, assigned('mbr_ana', null)]);
  const flowing = { ...RESOLVED, status: 'in_flow' } as const;
  assert.deepEqual(factsOf(RESOLVED, flowing), [reopened], 'into a flow too');
  assert.deepEqual(factsOf(flowing, RESOLVED), [resolved]);
  const others = { ...RESOLVED, assignedTo: 'mbr_bia' };
  assert.deepEqual(factsOf(RESOLVED, others), [assigned('mbr_ana', 'mbr_bia')]);
});

test('a conversation that begins so has changed from open and nobody’s', () => {
  assert.deepEqual(factsOf(null, RESOLVED), [assigned(null, 'mbr_ana'), resolved]);
});
