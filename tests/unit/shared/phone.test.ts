import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalPhone } from '../../../shared/text/phone.ts';

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
const country = fc.constantFrom('BR', 'US', 'PT', 'AR', 'MX', 'DE', 'RU', 'XX');
const anyPhone = fc.string({
  unit: fc.constantFrom(...'0123456789+ ()-'),
  minLength: 1,
  maxLength: 30,
});
const AREAS = ['11', '21', '31', '47', '61', '71', '79', '85', '92', '99'] as const;

test('decisions, Phones: a canonical phone is digits only and stays itself with its +', () => {
  fc.assert(
    fc.property(fc.oneof(anyPhone, digits(8, 15)), country, country, (raw, here, there) => {
      const once = canonicalPhone(raw, here);
      if (once === null) return;
      assert.match(once, /^[1-9]\d{4,16}$/);
      assert.equal(canonicalPhone(`+${once}`, there), once);
    }),
    { numRuns: 20_000 },
  );
});

test('decisions, Phones: what was read without a + stays itself when given back', () => {
  const national = fc.tuple(fc.constantFrom(...AREAS), digits(8, 9)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(national, digits(8, 15)), country, (raw, here) => {
      const once = canonicalPhone(raw, here);
      if (once !== null) assert.equal(canonicalPhone(once, here), once);
    }),
    { numRuns: 20_000 },
  );
});

test('decisions, Phones: formatting says nothing', () => {
  fc.assert(
    fc.property(fc.constantFrom(...AREAS), digits(8, 8), (area, rest) => {
      const expected = canonicalPhone(`+55${area}9${rest}`, 'BR');
      const [a, b] = [rest.slice(0, 4), rest.slice(4)];
      for (const raw of [`(${area}) 9${a}-${b}`, `+55 (${area}) 9 ${a} ${b}`, `0${area}9${rest}`]) {
        assert.equal(canonicalPhone(raw, 'BR'), expected, raw);
      }
    }),
  );
});

test('decisions, Phones: Brazilian mobiles are one person with and without the ninth digit', () => {
  const mobile = fc.tuple(fc.constantFrom(...'6789'), digits(7, 7)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...AREAS), mobile, country, (area, eight, here) => {
      const expected = `55${area}9${eight}`;
      assert.equal(canonicalPhone(`+55${area}${eight}`, here), expected);
      assert.equal(canonicalPhone(`+55${area}9${eight}`, here), expected);
      assert.equal(canonicalPhone(`${area}${eight}`, 'BR'), expected);
      assert.equal(canonicalPhone(`55${area}${eight}`, 'BR'), expected);
    }),
  );
});

test('decisions, Phones: landlines never get a ninth digit', () => {
  const line = fc.tuple(fc.constantFrom(...'2345'), digits(7, 7)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...AREAS), line, (area, eight) => {
      assert.equal(canonicalPhone(`+55 ${area} ${eight}`, 'BR'), `55${area}${eight}`);
      assert.equal(canonicalPhone(`(${area}) ${eight}`, 'BR'), `55${area}${eight}`);
    }),
  );
});

const TABLE: readonly (readonly [string, string, string | null])[] = [
  ['0800 123 4567', 'BR', '558001234567'],
  ['+55 0800 123 4567', 'US', '558001234567'],
  ['5511988887777', 'BR', '5511988887777'],
  ['5511988887777', 'US', '5511988887777'],
  ['+1 415 555 2671', 'BR', '14155552671'],
  ['14155552671', 'BR', '14155552671'],
  ['415 555 2671', 'US', '14155552671'],
  ['912 345 678', 'PT', '351912345678'],
  ['351912345678', 'BR', '351912345678'],
  ['79 93123-4567', 'BR', '5579931234567'],
  ['12345678901234567890', 'BR', null],
  ['+', 'BR', null],
  ['', 'BR', null],
  ['12345678', 'BR', null],
  ['98888-7777', 'BR', null],
  ['ligue 11 98888-7777', 'BR', null],
  ['11 98888-7777 ramal 3', 'BR', null],
  ['11 9888-7777 ramal 8', 'BR', null],
  ['5511988887777 ramal 3', 'BR', null],
  ['+5511988887777;ext=1', 'BR', null],
  ['tel5511988887777', 'BR', null],
  ['١١٩٨٨٨٨٧٧٧٧', 'BR', null],
  // Both readings are valid: that of the default country wins.
  ['5538978771236', 'DE', '495538978771236'],
  ['+5538978771236', 'DE', '5538978771236'],
  // Ten digits are enough for a country code to be guessed where no national reading is valid.
  ['8426166307', 'PT', '8426166307'],
  // Its own full form reads as another number: it identifies no phone.
  ['+359009867073', 'BR', null],
];

for (const [raw, here, expected] of TABLE) {
  test(`decisions, Phones: ${JSON.stringify(raw)} in ${here} is ${expected}`, () => {
    assert.equal(canonicalPhone(raw, here), expected);
  });
}
