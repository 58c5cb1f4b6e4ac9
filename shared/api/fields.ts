/**
 * Field types of requests and answers. Lengths count Unicode code points (D6); every rule has its
 * Portuguese sentence.
 */
import * as v from 'valibot';
import {
  ID_MAX_CHARS,
  PAGE_DEFAULT,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  PHONE_MAX_CHARS,
  PHONE_MIN_CHARS,
  TAG_MAX_CHARS,
} from '../limits.ts';
import { hasControl, withoutControl } from '../text/control-characters.ts';
import { plainPhone } from '../text/phone-writing.ts';
import { plainTag } from '../text/plain-tag.ts';
import { RESERVED_NAMES } from '../text/reserved-names.ts';
import { isOnCalendar } from '../time/is-on-calendar.ts';
import {
  atLeast,
  atLeastChars,
  atMost,
  atMostChars,
  atMostItems,
  oneOf,
  SENTENCES,
} from './sentences.ts';

const PHONE_CHARACTERS = /^[\d+ ()-]*$/;
const EMAIL_MAX_CHARS = 254;
/** A domain with a top level that is no number, and no dot at an end of the part before the `@`. */
const VALID_EMAIL = /^[^.@]+(?:\.[^.@]+)*@(?:[^.@]+\.)+[a-zA-Z][^.@]+$/;
const RESERVED_KEYS: ReadonlySet<string> = new Set(RESERVED_NAMES);

/** The object of a request: unknown properties are dropped, a missing one is named. */
export function requestObject<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.object(entries, (issue) =>
    issue.received === 'undefined' ? SENTENCES.required : SENTENCES.objectExpected,
  );
}

/** NUL has no place in names or text, and a lone surrogate cannot be stored in UTF-8. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

const string = v.string(SENTENCES.textExpected);
const storable = v.check(isStorable, SENTENCES.brokenText);

/** A text of `min` to `max` code points; `min` 0 allows the empty one. */
export function textBetween(min: number, max: number) {
  return v.pipe(
    string,
    storable,
    v.minCodePoints(min, atLeastChars(min)),
    v.maxCodePoints(max, atMostChars(max)),
  );
}

/** A tag's length counts without the blanks around it. */
export const tagText = v.pipe(
  string,
  storable,
  v.transform(plainTag),
  v.minCodePoints(1, atLeastChars(1)),
  v.maxCodePoints(TAG_MAX_CHARS, atMostChars(TAG_MAX_CHARS)),
);

export function textUpTo(max: number) {
  return v.pipe(string, storable, v.maxCodePoints(max, atMostChars(max)));
}

const printable = v.check((text: string) => !hasControl(text), SENTENCES.controlCharacters);

/** A name on one line, as people and terminals show it. */
export function nameBetween(min: number, max: number) {
  return v.pipe(textBetween(min, max), printable);
}

/** The name of one that typed it into a form: what nobody types is removed, not refused. */
export function formNameUpTo(max: number) {
  return v.pipe(
    string,
    v.transform(withoutControl),
    storable,
    v.maxCodePoints(max, atMostChars(max)),
  );
}

export const anyText = v.pipe(string, storable);

/** No id is longer: a longer text is cut, since it names nothing either way (D123). */
const cut = v.transform((text: string) => text.slice(0, ID_MAX_CHARS).toWellFormed());

/** A text that names something: nothing keeps more of it than an id has. */
export const idText = v.pipe(string, storable, v.minCodePoints(1, atLeastChars(1)), cut);
export const anyIdText = v.pipe(string, storable, cut);
export const booleanField = v.boolean(SENTENCES.booleanExpected);

/** C8.5: 8 to 30 characters before normalization; `phone.ts` judges the rest. */
export const phoneText = v.pipe(
  string,
  v.minCodePoints(PHONE_MIN_CHARS, atLeastChars(PHONE_MIN_CHARS)),
  v.maxCodePoints(PHONE_MAX_CHARS, atMostChars(PHONE_MAX_CHARS)),
  v.check((text) => PHONE_CHARACTERS.test(plainPhone(text)), SENTENCES.phoneCharacters),
);

/** A filter by phone accepts any formatting (C4.5). */
export const phoneFilter = v.pipe(string, v.maxCodePoints(64, SENTENCES.phoneInvalid));

export const emailText = v.pipe(
  string,
  v.maxCodePoints(EMAIL_MAX_CHARS, atMostChars(EMAIL_MAX_CHARS)),
  v.rfcEmail(SENTENCES.emailInvalid),
  v.check((text) => VALID_EMAIL.test(text), SENTENCES.emailInvalid),
);

/** A valid e-mail address, or the empty text which clears it. */
export const emailOrEmpty = v.union([v.literal(''), emailText], (issue) =>
  issue.received.startsWith('"') ? SENTENCES.emailInvalid : SENTENCES.textExpected,
);

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return v.picklist(values, oneOf(values));
}

export function wholeBetween(min: number, max: number) {
  return v.pipe(wholeNumber(min), v.maxValue(max, atMost(max)));
}

function wholeNumber(min: number) {
  return v.pipe(
    v.number(SENTENCES.integerExpected),
    v.integer(SENTENCES.integerExpected),
    v.minValue(min, atLeast(min)),
  );
}

export function numberBetween(min: number, max: number) {
  return v.pipe(
    v.number(SENTENCES.numberExpected),
    v.minValue(min, atLeast(min)),
    v.maxValue(max, atMost(max)),
  );
}

export function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

export const webUrl = v.pipe(
  v.string(SENTENCES.textExpected),
  v.check(isWebUrl, SENTENCES.urlInvalid),
  v.metadata({ format: 'uri' }),
);

/** Query entries of a paginated list (C4.2). */
export const pageEntries = {
  page: v.optional(wholeNumber(1), PAGE_DEFAULT),
  limit: v.optional(wholeBetween(1, PAGE_LIMIT_MAX), PAGE_LIMIT_DEFAULT),
};

const noReservedKeys = v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const input = dataset.value;
  for (const key of Object.keys(input).filter((name) => RESERVED_KEYS.has(name))) {
    const path: [v.ObjectPathItem] = [
      { type: 'object', origin: 'key', input, key, value: input[key] },
    ];
    addIssue({ message: SENTENCES.reservedKey, path });
  }
});

interface TextMap {
  readonly key?: v.GenericSchema<string, string>;
  readonly value: v.GenericSchema<unknown, string>;
  readonly max: number;
}

/**
 * A JSON object of at most `max` texts; an array is refused, although it is an object in
 * JavaScript. The number of entries is checked first, so that a body of many wrong entries costs
 * little.
 */
export function textMap({ key = anyText, value, max }: TextMap) {
  return v.pipe(
    v.custom<Record<string, unknown>>(isPlainObject, SENTENCES.objectExpected),
    v.maxEntries<Record<string, unknown>, number, string>(max, atMostItems(max)),
    noReservedKeys,
    v.record(key, value),
    v.maxEntries(max, atMostItems(max)),
  );
}

/** A list of at most `max` items, the number checked first for the same reason. */
export function listUpTo<Item>(item: v.GenericSchema<unknown, Item>, max: number) {
  return v.pipe(
    v.custom<unknown[]>(Array.isArray, SENTENCES.listExpected),
    v.maxLength(max, atMostItems(max)),
    v.array(item),
    v.maxLength(max, atMostItems(max)),
  );
}

const alternatives = new WeakMap<object, readonly v.GenericSchema[]>();

/** A list or a map, by the input's form: the issues are those of the form that was meant. */
export function listOrMap<List, Map>(
  list: v.GenericSchema<unknown, List>,
  map: v.GenericSchema<unknown, Map>,
): v.GenericSchema<unknown, List | Map> {
  const schema = v.lazy(
    (input): v.GenericSchema<unknown, List | Map> => (Array.isArray(input) ? list : map),
  );
  alternatives.set(schema, [list, map]);
  return schema;
}

/** The forms of a schema made by `listOrMap`; JSON Schema describes both. */
export function alternativesOf(schema: object): readonly v.GenericSchema[] | undefined {
  return alternatives.get(schema);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** ISO 8601 in UTC with milliseconds and a trailing Z (C2.1). */
export const timestamp = v.pipe(v.string(), v.isoTimestamp());
/** A moment that a caller gives: ISO 8601 with a zone. */
export const momentText = v.pipe(
  v.string(SENTENCES.textExpected),
  v.isoTimestamp(SENTENCES.momentInvalid),
  v.check(isOnCalendar, SENTENCES.momentInvalid),
);
export const id = v.string();
export const wholeCount = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The sibling properties of a paginated list (C4.2). */
export const pageSiblings = {
  page: v.pipe(v.number(), v.integer(), v.minValue(1)),
  limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PAGE_LIMIT_MAX)),
  total: wholeCount,
};
