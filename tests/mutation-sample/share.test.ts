/** Leaves gaps on purpose: what the mutation score has to find (tests/mutation-score). */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { share } from './share.ts';

describe('a share', () => {
  let whole = 0;
  before(() => {
    whole = 4;
  });

  it('is a part of the whole', () => {
    assert.equal(share(1, whole), 0.25);
  });

  it('is nothing of less than nothing', () => {
    assert.equal(share(1, -1), 0);
  });
});
