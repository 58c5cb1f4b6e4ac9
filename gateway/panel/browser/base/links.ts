/**
 * Addresses, e-mails and phones in a text of others: pure.
 *
 * 1. The parts together are the text, character by character.
 * 2. A link leads to http, https, mailto or tel, and to nothing else.
 * 3. A link leads where it seems to: an address with a name before its host stays text, and so does
 *    what stands behind a mark of direction or a character without width.
 * 4. The time is linear in the length of the text: each expression begins at a border of a word.
 */

export interface Part {
  readonly text: string;
  /** Unset: plain text. */
  readonly href?: string;
}

/** What no address has: spaces, quotes, brackets, controls, and what is not seen. */
const OUTSIDE = String.raw`\s<>"“”«»\u0060\\^{}\|\p{C}\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f`;
const SITE_ENDINGS = 'com|net|org|br|me|app|io|link|site|store|shop';
const ADDRESS = String.raw`(?:https?:\/\/|www\.)[^${OUTSIDE}]+`;
const SITE = String.raw`(?:[a-z\d-]{1,63}\.){1,4}(?:${SITE_ENDINGS})(?:\/[^${OUTSIDE}]*)?(?![\w@-])`;
const EMAIL = String.raw`[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,24}(?![\w@-])`;
const ABROAD = String.raw`\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,6}(?![\w@-])`;
const MOBILE = String.raw`(?:\([1-9]{2}\) ?|[1-9]{2}[ .-]?)9[ .-]?\d{4}[ .-]?\d{4}`;
/** Ten digits in a row may be anything. */
const LANDLINE = String.raw`(?:\([1-9]{2}\) ?|[1-9]{2} )[2-5]\d{3}[ .-]?\d{4}`;
const AT_HOME = String.raw`(?:${MOBILE}|${LANDLINE})(?![\w@]|[/.,-]\d)`;

const LINKS = new RegExp(
  String.raw`(?<![\p{L}\p{N}\p{Cf}_.,@+/:=&?#%-])(?:(?<address>${ADDRESS})|(?<email>${EMAIL})|(?<site>${SITE})|(?<phone>${ABROAD}|${AT_HOME}))`,
  'giu',
);

/** Of a sentence, and not of its address. */
const SENTENCE_END = ".,;:!?'’*_~…";
const COUNTRY = '55';

export function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: found, index, groups = {} } of text.matchAll(LINKS)) {
    const shown = groups.phone === undefined ? withoutEnd(found) : found;
    const href = hrefOf(shown, groups);
    if (href === null) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: shown, href });
    end = index + shown.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** A bracket that the address has not opened belongs to the sentence. */
function withoutEnd(found: string): string {
  const brackets = /[([]/.test(found) ? '' : ')]';
  let end = found.length;
  while (end > 0 && (SENTENCE_END + brackets).includes(found.charAt(end - 1))) end -= 1;
  return found.slice(0, end);
}

type Groups = Readonly<Record<string, string | undefined>>;

function hrefOf(shown: string, { address, email, site }: Groups): string | null {
  if (email !== undefined) return `mailto:${shown}`;
  if (address === undefined && site === undefined) return phoneHref(shown);
  return webHref(/^https?:/i.test(shown) ? shown : `https://${shown}`);
}

function webHref(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, username, password, href } = new URL(address);
  const isPlain = username === '' && password === '' && hostname.includes('.');
  return isPlain && /^https?:$/.test(protocol) ? href : null;
}

function phoneHref(shown: string): string | null {
  const digits = shown.replace(/\D/g, '');
  if (!shown.startsWith('+')) return `tel:+${COUNTRY}${digits}`;
  return digits.length >= 8 && digits.length <= 15 ? `tel:+${digits}` : null;
}

/** A map of a place, by its degrees. */
export function mapHref(latitude: number, longitude: number): string {
  const point = `mlat=${latitude}&mlon=${longitude}`;
  return `https://www.openstreetmap.org/?${point}#map=16/${latitude}/${longitude}`;
}
