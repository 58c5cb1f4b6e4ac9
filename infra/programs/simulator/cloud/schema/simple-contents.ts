/**
 * Reactions, locations and contact cards of a message.
 *
 * Sources: facebook/openapi (v23.0), ReactionMessage, LocationMessage, ContactObject; Meta,
 * "Reaction messages", "Location messages", "Contacts messages" (2026). The document writes
 * coordinates as texts and its examples as numbers: both are taken. It has HOME and WORK as the
 * types of a phone, while the page's own example has others: any text is taken. It has at most 5
 * contacts, which the page does not name: the stricter holds.
 */
import * as v from 'valibot';
import { someText } from './shape.ts';

const CONTACTS_MAX = 5;
const LATITUDE_MAX = 90;
const LONGITUDE_MAX = 180;

/** Made at the first use: its data take the start 10 ms. */
let graphemes: Intl.Segmenter | undefined;
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

function isOneEmoji(text: string): boolean {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...graphemes.segment(text)].length === 1 && PICTURE.test(text);
}

export const reactionSchema = v.strictObject({
  message_id: someText,
  /** Empty: takes the reaction back. */
  emoji: v.pipe(
    v.string(),
    v.check((emoji) => emoji === '' || isOneEmoji(emoji), 'is not an emoji.'),
  ),
});

function isWithin(value: string | number, most: number): boolean {
  const number = typeof value === 'number' || value.trim() !== '' ? Number(value) : Number.NaN;
  return Math.abs(number) <= most;
}

const coordinate = (most: number) =>
  v.pipe(
    v.union([v.number(), v.string()]),
    v.check((value) => isWithin(value, most), `must be a number from -${most} to ${most}.`),
    v.transform(Number),
  );

export const locationSchema = v.strictObject({
  latitude: coordinate(LATITUDE_MAX),
  longitude: coordinate(LONGITUDE_MAX),
  name: v.optional(v.string()),
  address: v.optional(v.string()),
});

const optionalText = v.optional(v.string());

const name = v.pipe(
  v.strictObject({
    formatted_name: someText,
    first_name: optionalText,
    last_name: optionalText,
    middle_name: optionalText,
    prefix: optionalText,
    suffix: optionalText,
  }),
  v.check(
    (given) => Object.values(given).filter(Boolean).length > 1,
    '#131008 needs another part beside formatted_name.',
  ),
);

export const contactsSchema = v.pipe(
  v.array(
    v.strictObject({
      name,
      phones: v.optional(
        v.array(
          v.strictObject({ phone: v.optional(someText), type: optionalText, wa_id: optionalText }),
        ),
      ),
      emails: v.optional(v.array(v.strictObject({ email: someText, type: optionalText }))),
      urls: v.optional(v.array(v.strictObject({ url: someText, type: optionalText }))),
      addresses: v.optional(
        v.array(
          v.strictObject({
            street: optionalText,
            city: optionalText,
            state: optionalText,
            zip: optionalText,
            country: optionalText,
            country_code: optionalText,
            type: optionalText,
          }),
        ),
      ),
      org: v.optional(
        v.strictObject({ company: optionalText, department: optionalText, title: optionalText }),
      ),
      birthday: v.optional(v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d$/, 'must be YYYY-MM-DD.'))),
    }),
  ),
  v.check(
    ({ length }) => length >= 1 && length <= CONTACTS_MAX,
    `must have 1 to ${CONTACTS_MAX} contacts.`,
  ),
);
