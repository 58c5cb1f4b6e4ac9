/**
 * Reading of phones: the canonical form is digits only, country code first (D17, D308).
 *
 * 1. With `+` or `00` a number is international. In national writing (brackets, a leading 0) it is
 *    read by the rules of the organization's country.
 * 2. Bare digits may be both, like the `51987654321` that an event shows of someone in Peru: in
 *    Brazil it is also a mobile of area 51. Who is on record decides (`PhoneReading`).
 * 3. Possible numbers are accepted, not only valid ones. Where nobody on record decides, a valid
 *    reading wins over a possible one and the national one over another.
 * 4. A number that a network has shown may be impossible by the metadata: it is nobody's else, and
 *    is accepted where a contact has it.
 * 5. Spellings of one number are one (`phone-spellings.ts`).
 */
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { isSameNumber, shownSpelling } from './phone-spellings.ts';
import { plainPhone } from './phone-writing.ts';

/** Digits with the punctuation people put between them; letters and extensions are refused. */
const PHONE_SHAPE = /^[\s(]*\+?[\d\s().\-/]+$/;
const NOT_DIGIT = /\D/g;
/** 55, an area code, the ninth digit, 8 digits: already canonical, and nearly every send. */
const BRAZILIAN_MOBILE = /^\+?55[1-9][1-9]9\d{8}$/;
/** Digits that a network may have shown as a person's number. */
const SHOWN = /^[1-9]\d{4,16}$/;

const MOBILES: ReadonlySet<unknown> = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE']);
const FOREIGN_MIN_DIGITS = 10;

/** What a text means as a phone of somebody in a country. */
export type PhoneReading =
  | { readonly phone: string }
  /** The text is `shown` where a contact has that number, else `national`, if anything. */
  | BarePhone;

export interface BarePhone {
  readonly shown: string;
  readonly national: string | null;
  /** The national reading is a valid number, not only a possible one. */
  readonly isValid: boolean;
}

interface Reading {
  readonly digits: string;
  readonly valid: boolean;
  readonly isMobile: boolean;
}

/**
 * @param country ISO 3166-1 alpha-2, of phones without a country code
 * @returns null when the text cannot be a phone number
 */
export function readPhone(raw: string, country: string): PhoneReading | null {
  if (BRAZILIAN_MOBILE.test(raw)) {
    if (raw.startsWith('+')) return { phone: raw.slice(1) };
    if (country === 'BR') return { phone: raw };
  }
  const text = plainPhone(raw);
  if (!PHONE_SHAPE.test(text)) return null;
  const all = text.replace(NOT_DIGIT, '');
  const isInternational = text.includes('+') || all.startsWith('00');
  const digits = isInternational ? all.replace(/^00/, '') : all;
  if (isInternational) {
    const read = internationalReading(digits);
    return read ? { phone: read.digits } : ifShown(digits, null);
  }
  const isNational = text.includes('(') || digits.startsWith('0');
  const national = isSupportedCountry(country) ? nationalReading(digits, country) : null;
  if (isNational) return national && { phone: national.digits };
  return bareReading(digits, national);
}

/** The numbers between which who is on record decides. */
export function candidatesOf({ shown, national }: BarePhone): readonly string[] {
  return national === null ? [shown] : [shown, national];
}

/** How the number is used: a form's texts are typed by strangers. */
export type PhoneUse = 'read' | 'write' | 'form';

/**
 * The number that bare digits mean, by the numbers on record.
 * @returns `ambiguous` where a write might reach another person than was meant, null for no phone
 */
export function choosePhone(
  { shown, national, isValid }: BarePhone,
  onRecord: readonly string[],
  use: PhoneUse,
): { readonly phone: string } | 'ambiguous' | null {
  const has = (phone: string): boolean => onRecord.some((each) => isSameNumber(each, phone));
  if (!has(shown)) return national === null ? null : { phone: national };
  if (national === null || use === 'read') return { phone: shown };
  const isAmbiguous = use === 'form' ? isValid : has(national);
  return isAmbiguous ? 'ambiguous' : { phone: shown };
}

/** The canonical digits of a phone where nobody on record decides; null when it cannot be one. */
export function canonicalPhone(raw: string, country: string): string | null {
  const reading = readPhone(raw, country);
  if (reading === null) return null;
  return 'phone' in reading ? reading.phone : reading.national;
}

/** The number of a person as the network shows it: digits, country code first. */
export function networkPhone(digits: string): string {
  // A network shows it with each status: a reading takes 15 µs.
  if (BRAZILIAN_MOBILE.test(digits)) return digits;
  return internationalReading(digits)?.digits ?? digits;
}

function bareReading(digits: string, national: Reading | null): PhoneReading | null {
  const foreign = foreignReading(digits);
  if (!national?.valid && (foreign?.valid || !national) && foreign) {
    return { phone: foreign.digits };
  }
  if (national && national.digits === networkPhone(digits)) return { phone: national.digits };
  return ifShown(digits, national);
}

function ifShown(digits: string, national: Reading | null): PhoneReading | null {
  const phone = national?.digits ?? null;
  if (!SHOWN.test(digits)) return phone === null ? null : { phone };
  const isValid = national?.valid === true;
  return { shown: networkPhone(digits), national: phone, isValid };
}

/**
 * Without its `+` a country code is a guess. It must explain every digit, and a short number is
 * rather a national one without its area code.
 */
function foreignReading(digits: string): Reading | null {
  const reading = internationalReading(digits);
  const isGuessed =
    reading?.digits === shownSpelling(digits) && digits.length >= FOREIGN_MIN_DIGITS;
  return isGuessed ? reading : null;
}

function internationalReading(digits: string): Reading | null {
  return read(`+${digits}`);
}

/**
 * A number with the country's own code keeps it: `4915112345678` is a mobile in Germany, although
 * its digits are also those of a line in area 4915. A mobile is preferred to a line.
 * A possible number must stay the same when its full form is read again. Otherwise (8 digits
 * without an area code, say) it is refused.
 */
function nationalReading(digits: string, country: CountryCode): Reading | null {
  const own = withOwnCode(digits, country);
  const reading = read(digits, country);
  if (own && (own.isMobile || !reading?.isMobile)) return own;
  if (!reading || reading.valid) return reading;
  const again = withOwnCode(reading.digits, country) ?? read(reading.digits, country);
  return again?.digits === reading.digits ? reading : null;
}

function withOwnCode(digits: string, country: CountryCode): Reading | null {
  if (!digits.startsWith(getCountryCallingCode(country))) return null;
  const reading = internationalReading(digits);
  return reading?.valid ? reading : null;
}

function read(text: string, country?: CountryCode): Reading | null {
  const number = parsePhoneNumberFromString(text, country ? { defaultCountry: country } : {});
  if (!number) return null;
  const canonical = `+${shownSpelling(number.number.slice(1))}`;
  // Short and premium numbers may read differently in their own full form: they are refused.
  const again = parsePhoneNumberFromString(canonical);
  if (again?.number !== canonical || !again.isPossible()) return null;
  const isMobile = MOBILES.has(again.getType());
  return { digits: canonical.slice(1), valid: again.isValid(), isMobile };
}
