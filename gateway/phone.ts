/**
 * The `phone` of a request: read as it is written, and for bare digits by who is on record.
 *
 * Most phones need no look-up: `+…`, `(11) …` and digits with the own country's code mean one
 * number. One that could be a contact's foreign number asks the store first, so that the number
 * which a list shows leads to the same person (D308).
 */
import { phoneAmbiguous, SENTENCES } from '../shared/api/sentences.ts';
import { type Failure, type Issue, invalid } from '../shared/failures.ts';
import { GenerationalCache } from '../shared/generational-cache.ts';
import { PHONE_MAX_CHARS } from '../shared/limits.ts';
import {
  type BarePhone,
  candidatesOf,
  canonicalPhone,
  choosePhone,
  type PhoneReading,
  type PhoneUse,
  readPhone,
} from '../shared/text/phone.ts';
import type { Caller } from '../shared/wire/caller.ts';
import type { FindPhones, PhonesOnRecord } from '../shared/wire/queries.ts';

const PHONES_KEPT = 20_000;
/** A `+` in a query string arrives as a space, where the caller did not encode it. */
const SPACE_FOR_PLUS = /^ (?=\d)/;

/** Reading a phone costs a tenth of a send; the same ones come again and again. */
const readings = new GenerationalCache<string, PhoneReading | null>(PHONES_KEPT);

function cachedReading(raw: string, country: string): PhoneReading | null {
  const name = `${country} ${raw}`;
  const cached = readings.get(name);
  if (cached !== undefined) return cached;
  const reading = readPhone(raw, country);
  readings.set(name, reading);
  return reading;
}

/** The reading of an object's phone; null without a phone, or with an issue of it. */
export function phoneOf(
  value: Readonly<Record<string, unknown>>,
  { caller, isQuery }: { readonly caller: Caller; readonly isQuery: boolean },
  issues: Issue[],
): PhoneReading | null {
  const raw = value.phone;
  if (typeof raw !== 'string' || issues.some((issue) => issue.path === 'phone')) return null;
  const text = isQuery ? raw.replace(SPACE_FOR_PLUS, '+') : raw;
  const reading = cachedReading(text, caller.country);
  if (reading === null) issues.push(INVALID);
  return reading;
}

/**
 * The canonical digits of a search that is a phone as the caller's country writes it, else null.
 * A search may be of any length, for which the reading of phones is not made.
 */
export function phoneOfSearch(query: string, { country }: Pick<Caller, 'country'>): string | null {
  if (query.length > PHONE_MAX_CHARS) return null;
  return canonicalPhone(query.replace(SPACE_FOR_PLUS, '+'), country);
}

const INVALID: Issue = { path: 'phone', message: SENTENCES.phoneInvalid };

/** What a look-up of bare digits asks. */
export function lookUpOf(
  bare: BarePhone,
  { orgId, claim }: Pick<FindPhones, 'orgId' | 'claim'>,
): FindPhones {
  return { orgId, phones: candidatesOf(bare), ...(claim ? { claim } : {}) };
}

/** The number that is meant, or why none is. */
export function chosenPhone(
  bare: BarePhone,
  { onRecord }: PhonesOnRecord,
  use: PhoneUse,
): { readonly phone: string } | { readonly refusal: Failure } {
  const chosen = choosePhone(bare, onRecord, use);
  if (chosen === null) return { refusal: invalid(INVALID) };
  if (chosen !== 'ambiguous') return chosen;
  const message = phoneAmbiguous(bare.shown, bare.national ?? '');
  return { refusal: invalid({ path: 'phone', message }) };
}
