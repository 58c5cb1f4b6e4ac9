/**
 * Canonical form of a phone: digits only, country code first (D17).
 *
 * 1. `+` means that the country code is there; without it the caller's country is the default.
 * 2. Possible numbers are accepted, not only valid ones. Where a bare number can be read in two
 *    ways, a valid reading wins over a possible one and the default country over another.
 * 3. A Brazilian mobile always has its ninth digit; landlines (2 to 5) and 0800 never get one.
 * 4. `canonicalPhone('+' + c, any)` is `c` for every canonical `c`. A number that was read without
 *    a `+` is also stable when it is read again without one. So is a foreign number with a `+`,
 *    with two exceptions: its digits are also a valid national number, or fewer than 10. A caller
 *    that knows the country code, as the networks do, adds a `+`.
 */
import {
  type CountryCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

/** Digits with the punctuation people put between them; letters and extensions are refused. */
const PHONE_SHAPE = /^[\s(]*\+?[\d\s().\-/]+$/;
const NOT_DIGIT = /\D/g;
/** 55, an area code, the ninth digit, 8 digits: already canonical, and nearly every send. */
const BRAZILIAN_MOBILE = /^\+?55[1-9][1-9]9\d{8}$/;
/** An area code and 8 digits that start with 6 to 9: a mobile in its older form. */
const MOBILE_WITHOUT_NINTH_DIGIT = /^[1-9][1-9][6-9]\d{7}$/;

const FOREIGN_MIN_DIGITS = 10;

interface Reading {
  readonly digits: string;
  readonly valid: boolean;
}

/**
 * The canonical digits of a phone in any formatting.
 * @param country ISO 3166-1 alpha-2, of phones without a country code
 * @returns null when it cannot be a phone number
 */
export function canonicalPhone(raw: string, country: string): string | null {
  if (BRAZILIAN_MOBILE.test(raw)) {
    if (raw.startsWith('+')) return raw.slice(1);
    if (country === 'BR') return raw;
  }
  if (!PHONE_SHAPE.test(raw)) return null;
  const digits = raw.replace(NOT_DIGIT, '');
  const international = read(`+${digits}`);
  if (raw.includes('+')) return international?.digits ?? null;
  const national = isSupportedCountry(country) ? readNational(digits, country) : null;
  if (national?.valid) return national.digits;
  // Without its `+` a country code is a guess. It must explain every digit, and a short number is
  // rather a national one without its area code.
  const isGuessed = international?.digits === digits && digits.length >= FOREIGN_MIN_DIGITS;
  const foreign = isGuessed ? international : null;
  if (foreign?.valid) return foreign.digits;
  return national?.digits ?? foreign?.digits ?? null;
}

/**
 * A national number must stay the same when its full form is read again. Otherwise (8 digits
 * without an area code, say) it could not be found by the number that the service shows: it is
 * refused.
 */
function readNational(digits: string, country: CountryCode): Reading | null {
  const reading = read(digits, country);
  return reading && read(reading.digits, country)?.digits === reading.digits ? reading : null;
}

function read(text: string, country?: CountryCode): Reading | null {
  const number = parsePhoneNumberFromString(text, country ? { defaultCountry: country } : {});
  if (!number?.isPossible()) return null;
  const canonical = withNinthDigit(number);
  const digits = canonical.number.slice(1);
  // Short and premium numbers may read differently in their own full form: they are refused.
  const again = parsePhoneNumberFromString(canonical.number);
  if (again?.number !== canonical.number || !again.isPossible()) return null;
  return { digits, valid: canonical.isValid() };
}

function withNinthDigit(number: PhoneNumber): PhoneNumber {
  const national = number.nationalNumber;
  if (number.countryCallingCode !== '55' || !MOBILE_WITHOUT_NINTH_DIGIT.test(national)) {
    return number;
  }
  const full = `+55${national.slice(0, 2)}9${national.slice(2)}`;
  return parsePhoneNumberFromString(full) ?? number;
}
