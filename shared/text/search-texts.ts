/** What a search looks for: a phone as people write it is found by its digits. */
import { foldText } from './fold.ts';
import { otherSpellings } from './phone-spellings.ts';
import { plainPhone } from './phone-writing.ts';

const PHONE_LIKE = /^[+(\d][\d\s().\-/]*$/;
/** A `+` in a query string arrives as a space, where the caller did not encode it. */
const SPACE_FOR_PLUS = /^ (?=\d)/;
/** Fewer digits are a number of something else, unless a `+` or a bracket begins them. */
const PHONE_MIN_DIGITS = 6;
/** A Brazilian mobile in its older form, with or without the country code. */
const WITHOUT_NINTH_DIGIT = /^((?:55)?[1-9][1-9])([6-9]\d{7})$/;

/** Folded texts, the likelier first; the first one that anything has is what was meant. */
export function searchTexts(query: string): readonly string[] {
  const folded = foldText(query);
  const written = plainPhone(query.replace(SPACE_FOR_PLUS, '+')).trim();
  const digits = written.replace(/\D/g, '').replace(/^0+/, '');
  const isPhone = /^[+(]/.test(written) ? digits !== '' : digits.length >= PHONE_MIN_DIGITS;
  if (!PHONE_LIKE.test(written) || !isPhone) return [folded];
  const withNinthDigit = digits.replace(WITHOUT_NINTH_DIGIT, '$19$2');
  return [...new Set([digits, withNinthDigit, ...otherSpellings(digits), folded])];
}

/** The result of the first text that finds anything, else that of the last. */
export async function firstFound<Found extends { readonly total: number }>(
  texts: readonly string[],
  search: (text: string) => Promise<Found>,
): Promise<Found> {
  const [first = '', ...others] = texts;
  const found = await search(first);
  return found.total > 0 || others.length === 0 ? found : firstFound(others, search);
}
