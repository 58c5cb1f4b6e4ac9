/** Bytes and query strings become values, or 400 and 422 (C7.3, C7.8). */
import { isUtf8 } from 'node:buffer';
import type * as v from 'valibot';
import { isPlainObject } from '../shared/api/fields.ts';
import { SENTENCES } from '../shared/api/sentences.ts';
import { type Failure, failure, type Issue, invalid } from '../shared/failures.ts';

export interface ParsedBody {
  /** Null where the route takes no body. */
  readonly object: Readonly<Record<string, unknown>> | null;
  readonly bytes: Buffer;
}

/** Not UTF-8 or not JSON is 400, JSON that is not an object 422 at the whole body. */
export function parseBody(bytes: Buffer): ParsedBody | { readonly refusal: Failure } {
  if (!isUtf8(bytes)) return { refusal: failure('bad_json') };
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { refusal: failure('bad_json') };
  }
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
}

const NO_QUERY: ParsedQuery = { values: {}, issues: [] };

/**
 * Strict: a value that does not have its type's form stays a text, which its schema then refuses.
 */
export function parseQuery(query: string, types: ParameterTypes): ParsedQuery {
  if (query === '') return NO_QUERY;
  const values: Record<string, unknown> = {};
  const issues: Issue[] = [];
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
    if (type !== undefined) values[name] = convert(text, type);
  }
  return { values, issues };
}

function convert(text: string, type: ParameterType): unknown {
  if (type === 'number') return INTEGER.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
