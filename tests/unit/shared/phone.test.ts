import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import examples from 'libphonenumber-js/mobile/examples';
import {
  canonicalPhone,
  choosePhone,
  networkPhone,
  type PhoneUse,
  readPhone,
} from '../../../shared/text/phone.ts';
import {
  otherSpellings,
  phoneKey,
  SPELLED_PREFIXES,
} from '../../../shared/text/phone-spellings.ts';

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

/** What the text means where these numbers are on record; `ambiguous`, or null for no phone. */
function meant(raw: string, here: string, onRecord: readonly string[], use: PhoneUse = 'read') {
  const reading = readPhone(raw, here);
  if (reading === null) return null;
  const chosen = 'phone' in reading ? reading : choosePhone(reading, onRecord, use);
  return typeof chosen === 'object' && chosen !== null ? chosen.phone : chosen;
}

test('decisions, Phones: what was read without a + stays itself when it is given back', () => {
  const national = fc.tuple(fc.constantFrom(...AREAS), digits(8, 9)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(national, digits(8, 15)), country, (raw, here) => {
      const once = canonicalPhone(raw, here);
      if (once !== null) assert.equal(meant(once, here, [once]), once);
    }),
    { numRuns: 20_000 },
  );
});

const COUNTRIES = getCountries();
type Described = readonly [unknown, unknown, ...unknown[]];

/** Country, its code, and the pattern of a kind of number that may have an account. */
const NATIONAL_PATTERNS = COUNTRIES.flatMap((here) => {
  const kinds = (metadata.countries[here]?.[11] ?? []) as readonly (Described | null)[];
  return [kinds[0], kinds[1], kinds[8]].flatMap((kind) => {
    const pattern = new RegExp(`^(?:${String(kind?.[0])})$`);
    return kind?.[0] ? [[here, getCountryCallingCode(here), pattern] as const] : [];
  });
});
const MOBILES = COUNTRIES.flatMap((each) => getExampleNumber(each, examples) ?? []);

test('decisions, Phones: the number that is shown leads to its contact in every country', () => {
  for (const here of COUNTRIES) {
    for (const { number } of MOBILES) {
      const shown = networkPhone(number.slice(1));
      const back = readPhone(shown, here);
      const isIt = back && ('phone' in back ? back.phone : back.shown) === shown;
      assert.ok(isIt, `${shown} in ${here} is ${JSON.stringify(back)}`);
    }
  }
});

test('decisions, Phones: a Brazilian mobile that a network shows is what the metadata make of it', () => {
  const nonZero = fc.constantFrom(...'123456789');
  const mobile = fc.tuple(nonZero, nonZero, digits(8, 8)).map(([a, b, end]) => `55${a}${b}9${end}`);
  fc.assert(
    fc.property(mobile, (shown) => {
      const read = parsePhoneNumberFromString(`+${shown}`)?.number ?? `+${shown}`;
      assert.equal(`+${networkPhone(shown)}`, read);
      // Its spelling without the ninth digit is never shown.
      const second = shown.slice(0, 4) + shown.slice(5);
      if (/[6-9]/.test(second.charAt(4))) assert.equal(networkPhone(second), shown);
    }),
    { numRuns: 5_000 },
  );
});

test('decisions, Phones: where both readings are contacts, reads get the shown one, writes none', () => {
  const both = ['51987654321', '5551987654321'];
  assert.equal(meant('51987654321', 'BR', both), '51987654321');
  assert.equal(meant('51987654321', 'BR', both, 'write'), 'ambiguous');
  assert.equal(meant('51987654321', 'BR', both.slice(0, 1), 'write'), '51987654321');
  assert.equal(meant('51987654321', 'BR', both.slice(0, 1), 'form'), 'ambiguous');
  assert.equal(meant('51987654321', 'BR', both.slice(1), 'write'), '5551987654321');
  assert.equal(meant('(51) 98765-4321', 'BR', both, 'write'), '5551987654321');
  assert.equal(meant('+51987654321', 'BR', both, 'write'), '51987654321');
});

test('decisions, Phones: every country accepts its own mobiles as its people write them', () => {
  const ofCountry = COUNTRIES.flatMap((here) => {
    const number = getExampleNumber(here, examples);
    return number ? [[here, number] as const] : [];
  });
  for (const [here, number] of ofCountry) {
    for (const raw of [number.formatNational(), number.nationalNumber, number.number.slice(1)]) {
      assert.equal(meant(raw, here, []), number.number.slice(1), `${raw} in ${here}`);
    }
  }
});

test('decisions, Phones: every country accepts the lines that its metadata allow', () => {
  for (const [here, calling, pattern] of NATIONAL_PATTERNS) {
    for (const national of fc.sample(fc.stringMatching(pattern), { numRuns: 5, seed: 7 })) {
      const number = parsePhoneNumberFromString(`+${calling}${national}`);
      const isWhole = number?.nationalNumber === national && number.isValid();
      if (!isWhole) continue;
      for (const raw of [number.formatNational(), national]) {
        assert.notEqual(meant(raw, here, []), null, `${raw} in ${here}`);
      }
    }
  }
});

test('decisions, Phones: a number that metadata call impossible is its contact as shown', () => {
  for (const shown of ['22507123456', '22997123456']) {
    assert.equal(canonicalPhone(`+${shown}`, 'BR'), null);
    for (const raw of [shown, `+${shown}`]) assert.equal(meant(raw, 'BR', [shown]), shown);
  }
});

const PERSONS: readonly (readonly [string, string, string])[] = [
  ['5215512345678', '525512345678', '525512345678'],
  ['+52 1 55 1234 5678', '525512345678', '525512345678'],
  ['+54 11 5555-1234', '541155551234', '5491155551234'],
  ['5491155551234', '5491155551234', '5491155551234'],
  ['551187654321', '5511987654321', '5511987654321'],
  ['+229 01 97 12 34 56', '2290197123456', '2290197123456'],
  ['+225 05 06 12 34 56', '2250506123456', '2250506123456'],
];

/** Numbers of 8 digits as networks still show them, and the 10 digits that people dial. */
const LENGTHENED: readonly (readonly [string, string])[] = [
  // Benin, since 30 November 2024: mobiles and lines alike.
  ['22997123456', '2290197123456'],
  ['22920123456', '2290120123456'],
  // Ivory Coast, since 31 January 2021: by the operator that the second digit names.
  ['22501123456', '2250101123456'],
  ['22573123456', '2250173123456'],
  ['22504123456', '2250504123456'],
  ['22586123456', '2250586123456'],
  ['22507123456', '2250707123456'],
  ['22599123456', '2250799123456'],
];

for (const [eight, ten] of LENGTHENED) {
  test(`decisions, Phones: ${eight} and ${ten} are one person, shown as seen first`, () => {
    assert.equal(phoneKey(eight), ten);
    assert.deepEqual(otherSpellings(eight), [ten]);
    assert.deepEqual(otherSpellings(ten), [eight]);
    for (const shown of [eight, ten]) {
      assert.equal(networkPhone(shown), shown);
      for (const raw of [`+${eight}`, eight, `+${ten}`, ten]) {
        assert.ok([eight, ten].includes(meant(raw, 'BR', [shown]) ?? ''), `${raw} of ${shown}`);
      }
    }
    assert.ok(SPELLED_PREFIXES.some((prefix) => eight.startsWith(prefix)));
  });
}

test('decisions, Phones: digits whose operator is not told keep a spelling of their own', () => {
  // Lines of the Ivory Coast, ranges that nobody had, and numbers that had 10 digits from the start.
  for (const digits of ['22520212345', '22560123456', '22500123456', '2252720212345']) {
    assert.deepEqual(otherSpellings(digits), [], digits);
  }
});

for (const [raw, shown, key] of PERSONS) {
  test(`decisions, Phones: ${raw} is shown as ${shown} and is the person ${key}`, () => {
    const phone = canonicalPhone(raw, 'BR') ?? '';
    assert.equal(phone, shown);
    assert.equal(phoneKey(phone), key);
    assert.ok([phone, ...otherSpellings(phone)].includes(key));
  });
}

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
  ['(0xx11) 91234-5678', 'BR', '5511912345678'],
  ['0055 (11) 91234-5678', 'BR', '5511912345678'],
  ['tel:+55-11-91234-5678', 'US', '5511912345678'],
  ['(11)\u00a091234\u20115678', 'BR', '5511912345678'],
  ['11\u201391234\u20135678', 'BR', '5511912345678'],
  ['\u202a+55 11 91234-5678\u202c', 'US', '5511912345678'],
  ['\uff0b\uff15\uff15 11 \uff1991234-5678', 'US', null],
  ['\uff0b\uff15\uff15 11 \uff191234-5678', 'US', '5511912345678'],
  ['0151 23456789', 'DE', '4915123456789'],
  ['4915123456789', 'DE', '4915123456789'],
  ['044 55 1234 5678', 'MX', '525512345678'],
  ['8 916 123-45-67', 'RU', '79161234567'],
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
