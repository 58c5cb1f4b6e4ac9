import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from '../../../../../../shared/provisioning/nearest.ts';

const known = ['timeZone', 'name', 'country', 'limits', 'channels', 'keys', 'ref'];

describe('the nearest known name', () => {
  for (const [given, found] of [
    ['timezone', 'timeZone'],
    ['timeZnoe', 'timeZone'],
    ['time_zone', 'timeZone'],
    ['chanels', 'channels'],
    ['limit', 'limits'],
    ['nmae', 'name'],
    ['colour', null],
    ['x', null],
    ['', null],
    ['a'.repeat(1_000), null],
  ] as const) {
    it(`of "${given.slice(0, 10)}" is ${found}`, () => assert.equal(nearest(given, known), found));
  }

  it('takes the nearest of several, and the first of equally near ones', () => {
    assert.equal(nearest('nam', ['names', 'name']), 'name');
    assert.equal(nearest('vio', ['vip', 'via']), 'vip');
    assert.equal(nearest('name', []), null);
  });
});
