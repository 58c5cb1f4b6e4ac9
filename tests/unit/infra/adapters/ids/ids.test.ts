/** Derived ids name entities on record: no release may derive others. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createIds, freshId } from '../../../../../infra/adapters/ids/ids.ts';
import { collectedBytes } from '../../../../support/collected.ts';

const SALT = new Uint8Array(32).fill(7);
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 17 bytes of the digest as one number, digit by digit. */
function plainly(prefix: string, parts: readonly string[]): string {
  const name = JSON.stringify([prefix, ...parts]);
  const digest = createHmac('sha256', SALT).update(name).digest().subarray(0, 17);
  let number = digest.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let digits = '';
  for (let place = 0; place < 22; place++) {
    digits += ALPHABET[Number(number % 62n)];
    number /= 62n;
  }
  return `${prefix}_${digits}`;
}

test('a derived id is what it always was', () => {
  const ids = createIds(SALT);
  assert.equal(ids.derive('dlv', 'evt_1', 'sub_1'), 'dlv_DyEJpRybTd1kKS5eu9Xq0O');
  assert.equal(ids.derive('ctc', 'org_1', '+5511912345678'), 'ctc_kc1bsh7bRVdh4SV0dxIGts');
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 3 }), (parts) => {
      assert.equal(ids.derive('any', ...parts), plainly('any', parts));
    }),
    { numRuns: 2_000 },
  );
});

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
