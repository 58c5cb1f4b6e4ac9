/**
 * Countries in which one person's number has two spellings. Networks and people use both, so that
 * a campaign to `+52 55…` is answered from `521 55…` (D309).
 *
 * 1. The key of a person is one spelling: contact ids derive from it (`entity-ids.ts`).
 * 2. Brazil and Mexico show that spelling always, all others the one that was seen first.
 */

interface TwoSpellings {
  /** Digits of the second spelling, and what makes them the first. */
  readonly second: RegExp;
  readonly toFirst: string;
  /** The second spelling is never shown. */
  readonly isRewritten: boolean;
  /** Digits of the first spelling, and of the second one that contacts were stored under. */
  readonly stored?: { readonly first: RegExp; readonly toSecond: string };
}

const COUNTRIES: readonly TwoSpellings[] = [
  // Brazil: an area code and 8 digits that start with 6 to 9 are a mobile without its ninth digit.
  { second: /^(55[1-9][1-9])([6-9]\d{7})$/, toFirst: '$19$2', isRewritten: true },
  // Mexico: the 1 of mobiles until 2019, and the trunk codes of then.
  {
    second: /^52(?:1|01|04[45])(\d{10})$/,
    toFirst: '52$1',
    isRewritten: true,
    stored: { first: /^52(\d{10})$/, toSecond: '521$1' },
  },
  // Argentina: mobiles are dialled with a 9 from abroad; accounts of landlines have none.
  {
    second: /^54(\d{10})$/,
    toFirst: '549$1',
    isRewritten: false,
    stored: { first: /^549(\d{10})$/, toSecond: '54$1' },
  },
  // Benin: 8 digits until November 2024. An account keeps them until its person changes it.
  lengthened('229', '01', '[2-9]\\d{7}'),
  // Ivory Coast: mobiles of 8 digits until January 2021; the second one tells the operator.
  lengthened('225', '01', '(?:0[1-3]|[457][0-3])\\d{6}'),
  lengthened('225', '05', '[04-9][4-6]\\d{6}'),
  lengthened('225', '07', '[04-9][7-9]\\d{6}'),
];

/** A country that put `added` before its numbers of until then. */
function lengthened(country: string, added: string, until: string): TwoSpellings {
  return {
    second: new RegExp(`^${country}(${until})$`),
    toFirst: `${country}${added}$1`,
    isRewritten: false,
    stored: {
      first: new RegExp(`^${country}${added}(${until})$`),
      toSecond: `${country}$1`,
    },
  };
}

/** The digits as they are shown: a second spelling becomes the first where it is never shown. */
export function shownSpelling(digits: string): string {
  const found = COUNTRIES.find(({ second, isRewritten }) => isRewritten && second.test(digits));
  return found ? digits.replace(found.second, found.toFirst) : digits;
}

/** Equal for all spellings of one person's number; any other text is its own key. */
export function phoneKey(phone: string): string {
  const found = COUNTRIES.find(({ second }) => second.test(phone));
  return found ? phone.replace(found.second, found.toFirst) : phone;
}

/** Whether both are spellings of one number. */
export function isSameNumber(a: string, b: string): boolean {
  return a === b || phoneKey(a) === phoneKey(b);
}

/** Spellings other than its key that a contact of this number may be stored under. */
export function storedSpellings(phone: string): readonly string[] {
  const key = phoneKey(phone);
  const found = COUNTRIES.find(({ stored }) => stored?.first.test(key));
  return found?.stored ? [key.replace(found.stored.first, found.stored.toSecond)] : [];
}

/** Every other spelling under which a contact of the number may be stored. */
export function otherSpellings(phone: string): readonly string[] {
  return [phoneKey(phone), ...storedSpellings(phone)].filter((each) => each !== phone);
}

/** What numbers begin with that a contact may be stored under in their second spelling. */
export const SPELLED_PREFIXES: readonly string[] = ['521', '54', '229', '225'];
