/**
 * Validation stage: collects every issue of a request at once. It covers the query, the body and
 * the caller's own circumstances (the country of a phone, a required channel).
 * Before it, bytes and query strings become values, or 400 and 422 (C7.3, C7.8).
 */

import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import { isPlainObject } from '../shared/api/fields.ts';
import { SENTENCES } from '../shared/api/sentences.ts';
import { type Failure, failure, type Issue, invalid } from '../shared/failures.ts';
import { ISSUE_PATH_MAX_CHARS } from '../shared/limits.ts';
import { firstCodePoints } from '../shared/text/utf8.ts';
import type { Caller } from '../shared/wire/caller.ts';
import type { FileHead } from './http/file-head.ts';

/** An object schema, possibly with rules across its fields. */
export type RequestSchema<Output> = v.GenericSchema<unknown, Output> & {
  readonly entries: v.ObjectEntries;
};

/** Checks one object; each issue is added to `issues`, one per field: the first. */
export function validate<Output>(
  schema: RequestSchema<Output>,
  value: Readonly<Record<string, unknown>>,
  issues: Issue[],
): { readonly output: Output } | null {
  const result = v.safeParse(schema, value);
  if (result.success) return { output: result.output };
  const reported = new Set<string>();
  for (const issue of result.issues) {
    const path = shownPath(v.getDotPath(issue) ?? '');
    if (reported.has(path)) continue;
    reported.add(path);
    issues.push({ path, message: issue.message });
  }
  return null;
}

/** A path ends in the caller's own text: an answer does not repeat a name of any length. */
function shownPath(path: string): string {
  const shown = firstCodePoints(path, ISSUE_PATH_MAX_CHARS);
  return shown.length === path.length ? path : `${shown}…`;
}

/** An account key reaches every channel, so the request must name one (C4.9). */
export function requireChannel(
  value: Readonly<Record<string, unknown>>,
  caller: Caller,
  issues: Issue[],
): void {
  if (caller.scope === 'account' && value.channelId === undefined) {
    issues.push({ path: 'channelId', message: SENTENCES.channelRequired });
  }
}

export interface ParsedBody {
  /** Null where the route takes no JSON. */
  readonly object: Readonly<Record<string, unknown>> | null;
  readonly bytes: Buffer;
  /** Of a route whose body is a file. */
  readonly file?: FileHead;
}

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The value of a JSON text in UTF-8, else undefined. A byte order mark at its beginning is skipped
 * (RFC 8259, 8.1): .NET and Windows' editors write one.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** Not UTF-8 or not JSON is 400, JSON that is not an object 422 at the whole body. */
export function parseBody(bytes: Buffer): ParsedBody | { readonly refusal: Failure } {
  const value = parseJson(bytes);
  if (value === undefined) return { refusal: failure('bad_json') };
  return isPlainObject(value)
    ? { object: value, bytes }
    : { refusal: invalid({ path: '', message: SENTENCES.notObject }) };
}

type ParameterType = 'number' | 'boolean' | 'text';
export type ParameterTypes = ReadonlyMap<string, ParameterType>;

/** The type of each query parameter, by its schema. */
export function parameterTypes(entries: v.ObjectEntries): ParameterTypes {
  return new Map(Object.entries(entries).map(([name, entry]) => [name, typeOf(entry)]));
}

function typeOf(entry: v.ObjectEntries[string]): ParameterType {
  const inner = 'wrapped' in entry ? entry.wrapped : entry;
  return inner.type === 'number' || inner.type === 'boolean' ? inner.type : 'text';
}

/** 15 digits are always a safe integer. */
const INTEGER = /^-?\d{1,15}$/;

export interface ParsedQuery {
  readonly values: Readonly<Record<string, unknown>>;
  readonly issues: readonly Issue[];
  /** Names that the row does not have. */
  readonly unknown: readonly string[];
  /** Of a query string, in which a `+` is a space. */
  readonly isEncoded?: true;
}

const NO_QUERY: ParsedQuery = { values: {}, issues: [], unknown: [] };

/**
 * Strict: a value that does not have its type's form stays a text, which its schema then refuses.
 */
export function parseQuery(query: string, types: ParameterTypes): ParsedQuery {
  if (query === '') return NO_QUERY;
  const values: Record<string, unknown> = {};
  const issues: Issue[] = [];
  const unknown: string[] = [];
  const seen = new Set<string>();
  for (const [name, text] of new URLSearchParams(query)) {
    if (seen.has(name)) {
      if (!issues.some((issue) => issue.path === name)) {
        issues.push({ path: name, message: SENTENCES.repeated });
      }
      continue;
    }
    seen.add(name);
    const type = types.get(name);
    if (type === undefined) unknown.push(name);
    else values[name] = convert(text, type);
  }
  return { values, issues, unknown, isEncoded: true };
}

function convert(text: string, type: ParameterType): unknown {
  if (type === 'number') return INTEGER.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
