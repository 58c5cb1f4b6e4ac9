import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isSame } from '../../../../actors/domain/is-same.ts';
import { forAll } from '../../../support/property.ts';

describe('whether an entry says the same', () => {
  const data = fc.jsonValue({ maxDepth: 3 });

  it('is known of any data (property)', () => {
    forAll([data, data], (a, b) => {
      assert.equal(isSame(a, structuredClone(a)), true);
      assert.equal(isSame(a, b), isSame(b, a));
      assert.equal(isSame([a], [a, b]), false);
      assert.equal(isSame({ a }, { a, b }), false);
      assert.equal(isSame({ a, b: undefined }, { a }), true);
      assert.equal(isSame({ a }, { a, b: undefined }), true);
    });
  });

  it('a list is no object, and an absent property no null', () => {
    const rows: readonly (readonly [unknown, unknown])[] = [
      [[], {}],
      [{ 0: 'a' }, ['a']],
      [{ a: null }, {}],
      [{ a: 1 }, { b: 1 }],
      [null, {}],
    ];
    for (const [a, b] of rows) assert.equal(isSame(a, b), false, JSON.stringify([a, b]));
    assert.equal(isSame({ a: undefined }, { b: undefined }), true);
  });
});
