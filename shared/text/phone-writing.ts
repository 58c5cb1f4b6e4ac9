/** How people and programs write a phone: typographic signs, invisible marks, `tel:`. */

const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
const FULL_WIDTH = /[\uff08-\uff19]/g;
const FULL_WIDTH_OFFSET = 0xfee0;
const TEL = /^\s*tel:/i;
/** `0xx11`: where Brazilians write the code of a carrier. */
const CARRIER_PLACE = /0\s?xx\s?(?=\d)/i;

/** The text with plain digits, signs and spaces in place of typographic and invisible ones. */
export function plainPhone(text: string): string {
  return text
    .replace(INVISIBLE, '')
    .replace(FULL_WIDTH, (each) => String.fromCharCode(each.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(SPACES, ' ')
    .replace(DASHES, '-')
    .replace(TEL, '')
    .replace(CARRIER_PLACE, '0');
}
