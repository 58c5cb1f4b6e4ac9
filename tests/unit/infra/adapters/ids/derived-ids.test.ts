/** Derived ids name entities on record: no release may derive others. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createIds } from '../../../../../infra/adapters/ids/ids.ts';

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
