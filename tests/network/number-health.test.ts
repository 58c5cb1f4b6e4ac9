/** When the number itself is in trouble (actors/channel/number-health). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NumberHealth } from '../../actors/channel/number-health.ts';

test('the third conversation in a row is the number trouble, however many follow', () => {
  const health = new NumberHealth();
  for (const id of ['a', 'b', 'b', 'a']) health.turnedAway(id, 'number', 10);
  assert.equal(health.notBefore, 0, 'two hold up nobody else');
  health.turnedAway('c', 'number', 20);
  assert.equal(health.notBefore, 20);
  for (let n = 0; n < 1_000; n++) health.turnedAway(`cnv_${n}`, 'number', 30 + n);
  assert.equal(health.notBefore, 1_029);
  assert.equal(health.worked(0), true);
  for (const id of ['a', 'b']) health.turnedAway(id, 'number', 2_000);
  assert.equal(health.notBefore, 0, 'they are counted anew');
});
