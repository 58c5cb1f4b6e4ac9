/**
 * Body of a network's webhook: its signature, and safe readers of its JSON. Each reader returns the
 * value if it has the expected shape, else an empty result. So one malformed entry never affects
 * the rest of a batch.
 *
 * Strangers write the texts: those that cannot be stored in UTF-8 are made so as they are parsed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { cleanFileName } from '../../../shared/file-name.ts';

/** Shown to people as any file name. */
const UNNAMED_FILE = 'arquivo';

export type JsonRecord = Readonly<Record<string, unknown>>;

const NOTHING: JsonRecord = Object.freeze({});

/** Whether the value is a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under `key`, or an empty one. */
export function recordAt(record: JsonRecord, key: string): JsonRecord {
  const value = record[key];
  return isRecord(value) ? value : NOTHING;
}

/** The array under `key`, or an empty one. */
export function listAt(record: JsonRecord, key: string): readonly unknown[] {
  const value = record[key];
  return Array.isArray(value) ? value : [];
}

/** The non-empty string under `key`; finite numbers are converted as written. */
export function textAt(record: JsonRecord, key: string): string | undefined {
  const value = record[key];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** The finite number under `key`, also when it is written as a string of digits. */
export function numberAt(record: JsonRecord, key: string): number | undefined {
  const value = record[key];
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value)) return undefined;
  return Number(value);
}

/** Parses a JSON object; null for anything else. */
export function parseRecord(json: string): JsonRecord | null {
  const value = parse(json);
  return isRecord(value) ? value : null;
}

/** Parses a JSON array; null for anything else. */
export function parseList(json: string): readonly unknown[] | null {
  const value = parse(json);
  return Array.isArray(value) ? value : null;
}

/** How JSON in UTF-8 writes NUL and halves of characters, beside most emoji. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;

function parse(json: string): unknown {
  try {
    return SUSPECT.test(json) ? JSON.parse(json, readable) : JSON.parse(json);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** Without NUL, and with U+FFFD for half a character; names of an object too. */
function readable(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return readableText(value);
  if (!isRecord(value) || Object.keys(value).every((key) => key === readableText(key))) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [readableText(key), each]));
}

function readableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/** A file's name without folders and marks; a name of nothing else is none. */
export function fileNameAt(record: JsonRecord, key: string): string | undefined {
  const name = textAt(record, key);
  return name === undefined ? undefined : (cleanFileName(name) ?? UNNAMED_FILE);
}

/** Epoch milliseconds under `key`; `fallback` when absent or senseless. */
export function millisAt(record: JsonRecord, key: string, fallback: number): number {
  const millis = numberAt(record, key);
  return millis === undefined || millis <= 0 || millis > 1e14 ? fallback : Math.round(millis);
}

/** Unix seconds under `key` as epoch milliseconds; `fallback` when absent or senseless. */
export function secondsAt(record: JsonRecord, key: string, fallback: number): number {
  const seconds = numberAt(record, key);
  if (seconds === undefined || seconds <= 0 || seconds > 1e11) return fallback;
  return Math.round(seconds * 1000);
}

export interface SignatureCheck {
  readonly algorithm: 'sha256' | 'sha512';
  readonly secret: string | undefined;
  readonly rawBody: Uint8Array;
  /** Lower- or upper-case hex, without any prefix. */
  readonly hex: string | undefined;
}

/**
 * False also where the secret or the signature is missing: unsigned requests are never accepted.
 */
export function signatureHolds(check: SignatureCheck): boolean {
  if (!check.secret || !check.hex || !/^[0-9a-f]+$/i.test(check.hex)) return false;
  const expected = createHmac(check.algorithm, check.secret).update(check.rawBody).digest();
  const given = Buffer.from(check.hex, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Compares two secrets in constant time. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** A header by its name, whatever the case it was kept in. */
export function headerOf(
  headers: Readonly<Record<string, string>>,
  lowerCaseName: string,
): string | undefined {
  const direct = headers[lowerCaseName];
  if (direct !== undefined) return direct;
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === lowerCaseName) return value;
  }
  return undefined;
}
