/** Ids are kept by the hundred thousand: one costs its characters, not a rope of single ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIds, freshId } from '../../../../../infra/adapters/ids/ids.ts';
import { collectedBytes } from '../../../../support/collected.ts';

const COUNT = 100_000;
/** 28 characters, the string's own head, and its place in an array. */
const BYTES_MAX = 100;

const derived = createIds(new Uint8Array(32).fill(7));

for (const [what, idOf] of [
  ['a fresh id', () => freshId('msg')],
  ['a derived id', (n: number) => derived.derive('cnv', 'chn_1', String(n))],
] as const) {
  test(`${what} is one flat string`, () => {
    idOf(-1);
    const ids = new Array<string>(COUNT).fill('');
    const before = collectedBytes();
    for (let n = 0; n < COUNT; n++) ids[n] = idOf(n);
    const bytes = (collectedBytes() - before) / COUNT;
    assert.equal(new Set(ids.slice(-1_000)).size, 1_000);
    // The cache of derived ids keeps the last ten thousand of them with their names.
    assert.ok(bytes < BYTES_MAX, `${Math.round(bytes)} bytes each`);
  });
}
