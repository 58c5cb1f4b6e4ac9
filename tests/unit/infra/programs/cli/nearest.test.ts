import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from '../../../../../shared/provisioning/nearest.ts';

const known = ['timeZone', 'name', 'country', 'limits', 'channels', 'keys', 'ref'];

describe('the nearest known name', () => {
  it('finds it past another case, a wrong, missing, extra or swapped letter', () => {
    assert.equal(nearest('timezone', known), 'timeZone');
    assert.equal(nearest('timeZnoe', known), 'timeZone');
    assert.equal(nearest('time_zone', known), 'timeZone');
    assert.equal(nearest('chanels', known), 'channels');
    assert.equal(nearest('limit', known), 'limits');
    assert.equal(nearest('nmae', known), 'name');
  });

  it('finds none where none is near', () => {
    assert.equal(nearest('colour', known), null);
    assert.equal(nearest('x', known), null);
    assert.equal(nearest('', known), null);
    assert.equal(nearest('a'.repeat(1_000), known), null);
    assert.equal(nearest('name', []), null);
  });

  it('takes the nearest of several, and the first of equally near ones', () => {
    assert.equal(nearest('nam', ['names', 'name']), 'name');
    assert.equal(nearest('vio', ['vip', 'via']), 'vip');
  });
});
