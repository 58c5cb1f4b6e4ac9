import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subscribes } from '../../../../actors/domain/delivery.ts';

test('a subscription takes * for the contract’s nine events only (decisions: Behaviour)', () => {
  assert.ok(subscribes(['*'], 'deal.won'));
  assert.ok(!subscribes(['*'], 'message.read'));
  assert.ok(subscribes(['message.read', '*'], 'message.read'));
  assert.ok(!subscribes(['deal.won'], 'deal.lost'));
});
