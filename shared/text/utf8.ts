/** The length of a text as it is stored, without a copy of it. */

const ONE_BYTE_BELOW = 0x80;
const TWO_BYTES_BELOW = 0x800;

/** Bytes of a well-formed text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair is two of its four bytes.
    const isHalf = unit >= 0xd800 && unit <= 0xdfff;
    bytes += unit < ONE_BYTE_BELOW ? 1 : unit < TWO_BYTES_BELOW || isHalf ? 2 : 3;
  }
  return bytes;
}

/** At most so many code points of a text. */
export function firstCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let taken = 0; taken < max && end < text.length; taken++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
