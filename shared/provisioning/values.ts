/**
 * Types of single properties of a provisioning file, with their error messages. A title is the
 * type's name in the reference (docs/provisioning.md).
 */
import * as v from 'valibot';
import { hasControl } from '../text/control-characters.ts';
import { DURATION } from './duration.ts';

const URL_MAX_CHARS = 2048;
const NAME_MAX_CHARS = 120;
export const SETTING_MAX_CHARS = 4096;

/** The longest file an operator may put into the library, in bytes. */
export const LIBRARY_FILE_MAX_BYTES = 100 * 1024 * 1024;

export const NOT_TEXT = 'must be text (put numbers in quotes)';

interface ObjectProblem {
  readonly expected: string | null;
  readonly received: string;
}

/** Message for an object, or for one of its properties that is unknown or missing. */
export function objectMessage({ expected, received }: ObjectProblem): string {
  if (expected === 'never') return 'is not a known property';
  return received === 'undefined' ? 'is required' : 'must be an object';
}

/** Text that is not blank; lengths count Unicode code points. */
export function text(maxChars: number) {
  return v.pipe(
    v.string(NOT_TEXT),
    v.regex(/\S/, 'must not be empty'),
    v.maxCodePoints(maxChars, `must be at most ${maxChars} characters`),
  );
}

export function matching(pattern: RegExp, message: string) {
  return v.pipe(v.string(NOT_TEXT), v.regex(pattern, message));
}

export function oneOf<const T extends readonly string[]>(names: T) {
  return v.picklist(names, `must be one of ${names.join(', ')}`);
}

export function wholeNumber(low: number, high: number) {
  return v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(low, `must be at least ${low}`),
    v.maxValue(high, `must be at most ${high}`),
  );
}

export const ref = v.pipe(
  matching(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    'must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit',
  ),
  v.title('ref'),
);

export const NOT_PRINTABLE = 'must not have control characters';

export const name = v.exactOptional(
  v.pipe(
    text(NAME_MAX_CHARS),
    v.check((value) => !hasControl(value), NOT_PRINTABLE),
  ),
);

export const flag = v.exactOptional(v.boolean('must be true or false'));

/** The ref of a channel, or null for none. */
export const reference = v.exactOptional(
  v.nullable(v.pipe(v.string(NOT_TEXT), v.title("a channel's ref"))),
);

export const duration = v.pipe(
  v.string(NOT_TEXT),
  v.regex(DURATION, 'must be a duration such as 6s'),
  v.title('duration'),
);

export const timeZone = v.pipe(
  v.string(NOT_TEXT),
  v.check(isTimeZone, 'must be an IANA time zone name'),
  v.title('IANA time zone'),
);

export const webUrl = v.pipe(
  v.string(NOT_TEXT),
  v.check(isWebUrl, 'must be an http or https URL'),
  v.title('http or https URL'),
);

/** A network's address: `sandbox` is the bundled simulator. */
export const networkUrl = v.pipe(
  v.string(NOT_TEXT),
  v.check(
    (value) => value === 'sandbox' || isWebUrl(value),
    'must be an http or https URL, or the word sandbox',
  ),
  v.title('http or https URL, or `sandbox`'),
);

export const email = v.exactOptional(
  v.nullable(
    v.union(
      [v.literal(''), v.pipe(v.string(), v.rfcEmail(), v.maxLength(254), v.title('e-mail'))],
      'must be an e-mail address, or empty',
    ),
  ),
);

/** The zone that was found last: a search costs 0.1 ms, and organizations name few zones. */
let foundZone = '';

function isTimeZone(zone: string): boolean {
  if (zone === foundZone) return true;
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    if (new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) === '') return false;
    foundZone = zone;
    return true;
  } catch (cause) {
    // The platform reports an unknown zone only by throwing.
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

function isWebUrl(value: string): boolean {
  if (value.length > URL_MAX_CHARS || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}
