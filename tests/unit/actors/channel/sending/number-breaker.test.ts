/** Breaker of a number that is itself in trouble (actors/channel/sending/number-breaker). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NumberBreaker } from '../../../../../actors/channel/sending/number-breaker.ts';

test('the third conversation in a row is the number trouble, however many follow', () => {
  const health = new NumberBreaker();
  for (const id of ['a', 'b', 'b', 'a']) health.recordRejection(id, 'number', 10);
  assert.equal(health.notBefore, 0, 'two hold up nobody else');
  health.recordRejection('c', 'number', 20);
  assert.equal(health.notBefore, 20);
  for (let n = 0; n < 1_000; n++) health.recordRejection(`cnv_${n}`, 'number', 30 + n);
  assert.equal(health.notBefore, 1_029);
  assert.equal(health.recordSuccess(0), true);
  for (const id of ['a', 'b']) health.recordRejection(id, 'number', 2_000);
  assert.equal(health.notBefore, 0, 'they are counted anew');
});
