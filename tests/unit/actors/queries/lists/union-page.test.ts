/** Pages of the union of a long list, which the store pages, and a short one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { longWindow, unionPage } from '../../../../../actors/queries/lists/union-page.ts';
import { forAll } from '../../../../support/property.ts';

const lists = fc
  .uniqueArray(fc.tuple(fc.nat(60), fc.boolean()), { selector: ([value]) => value })
  .map((items) => ({
    long: items.filter(([, isLong]) => isLong).map(([value]) => value),
    short: items.filter(([, isLong]) => !isLong).map(([value]) => value),
  }));
const pages = fc.record({ skip: fc.nat(70), limit: fc.integer({ min: 1, max: 20 }) });

function newestFirst(a: number, b: number): number {
  return b - a;
}

test('a page of the union is what one sorted list would give', () => {
  forAll([lists, pages], ({ long, short }, page) => {
    const { skip, limit } = page;
    const begin = longWindow(page, short.length);
    const read = long.toSorted(newestFirst).slice(begin.skip, begin.skip + begin.limit);
    const all = [...long, ...short].toSorted(newestFirst);
    const found = unionPage({ long: read, short }, page, newestFirst);
    assert.deepEqual(found, all.slice(skip, skip + limit));
  });
});

test('the window of the long list grows by the short one at most', () => {
  assert.deepEqual(longWindow({ skip: 100, limit: 50 }, 3), { skip: 97, limit: 53 });
  assert.deepEqual(longWindow({ skip: 0, limit: 50 }, 3), { skip: 0, limit: 50 });
});
