/**
 * Types of single properties of a provisioning file, with their error messages. A title is the
 * type's name in the reference (docs/provisioning.md).
 */
import * as v from 'valibot';
import { hasControl } from '../text/control-characters.ts';
import { isOnCalendar } from '../time/is-on-calendar.ts';
import { DURATION } from './duration.ts';
import { messageFor } from './problem-message.ts';

const URL_MAX_CHARS = 2048;
const NAME_MAX_CHARS = 120;
const EMAIL_MAX_CHARS = 254;
export const SETTING_MAX_CHARS = 4096;

/** The longest file an operator may put into the library, in bytes. */
export const LIBRARY_FILE_MAX_BYTES = 100 * 1024 * 1024;

export const NOT_TEXT = messageFor('notQuoted', {});

interface ObjectProblem {
  readonly expected: string | null;
  readonly received: string;
}

/** Message for an object, or for one of its properties that is unknown or missing. */
export function objectMessage({ expected, received }: ObjectProblem): string {
  if (expected === 'never') return messageFor('unknownProperty', {});
  return received === 'undefined' ? messageFor('required', {}) : messageFor('notObject', {});
}

/** Text that is not blank; lengths count Unicode code points. */
export function text(maxChars: number) {
  return v.pipe(
    v.string(NOT_TEXT),
    v.regex(/\S/, messageFor('empty', {})),
    v.maxCodePoints(maxChars, messageFor('tooLong', { most: maxChars })),
  );
}

export function matching(pattern: RegExp, message: string) {
  return v.pipe(v.string(NOT_TEXT), v.regex(pattern, message));
}

export function oneOf<const T extends readonly string[]>(names: T) {
  return v.picklist(names, messageFor('notOneOf', { names }));
}

export function wholeNumber(low: number, high: number) {
  return v.pipe(
    v.number(messageFor('notNumber', {})),
    v.integer(messageFor('notWhole', {})),
    v.minValue(low, messageFor('tooSmall', { least: low })),
    v.maxValue(high, messageFor('tooLarge', { most: high })),
  );
}

export const ref = v.pipe(
  matching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, messageFor('notRef', {})),
  v.title('ref'),
);

export const NOT_PRINTABLE = messageFor('controlCharacters', {});

export const name = v.exactOptional(
  v.pipe(
    text(NAME_MAX_CHARS),
    v.check((value) => !hasControl(value), NOT_PRINTABLE),
  ),
);

export const flag = v.exactOptional(v.boolean(messageFor('notFlag', {})));

/** The ref of a channel, or null for none. */
export const reference = v.exactOptional(
  v.nullable(v.pipe(v.string(NOT_TEXT), v.title("a channel's ref"))),
);

export const duration = v.pipe(
  v.string(NOT_TEXT),
  v.regex(DURATION, messageFor('notDuration', {})),
  v.title('duration'),
);

/** A date with its time and its zone; its year has four digits in UTC too (D116). */
export const moment = v.pipe(
  v.string(NOT_TEXT),
  v.isoTimestamp(messageFor('notMoment', {})),
  v.check(isMoment, messageFor('notMoment', {})),
  v.title('ISO 8601 time'),
);

export const timeZone = v.pipe(
  v.string(NOT_TEXT),
  v.check(isTimeZone, messageFor('notTimeZone', {})),
  v.title('IANA time zone'),
);

export const webUrl = v.pipe(
  v.string(NOT_TEXT),
  v.check(isWebUrl, messageFor('notWebUrl', {})),
  v.title('http or https URL'),
);

/** A network's address: `sandbox` is the bundled simulator. */
export const networkUrl = v.pipe(
  v.string(NOT_TEXT),
  v.check((value) => value === 'sandbox' || isWebUrl(value), messageFor('notNetworkUrl', {})),
  v.title('http or https URL, or `sandbox`'),
);

const NOT_EMAIL = messageFor('notEmail', {});

export const email = v.exactOptional(
  v.nullable(
    v.union(
      [
        v.literal(''),
        // A text that one option alone takes has that option's message, and not the union's.
        v.pipe(
          v.string(),
          v.rfcEmail(NOT_EMAIL),
          v.maxLength(EMAIL_MAX_CHARS, NOT_EMAIL),
          v.title('e-mail'),
        ),
      ],
      NOT_EMAIL,
    ),
  ),
);

function isMoment(value: string): boolean {
  return isOnCalendar(value) && /^\d{4}-/.test(new Date(value).toISOString());
}

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
