/**
 * Names of a request that its schemas do not have, so that a caller sees a mistyped one: `tag` for
 * `tags` changes nothing and is no refusal (D5, D326).
 *
 * 1. Query parameters and body fields; within objects and lists of the body the whole path.
 * 2. They come from the request itself, so a kept answer of a repeat has them as well.
 * 3. A name that a header cannot hold, or that is long, is `?`.
 */
import { isPlainObject } from '../shared/api/fields.ts';
import type { Reply } from './http/respond.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { ApiRoute } from './route.ts';
import type { ParsedQuery, RequestSchema } from './validate.ts';

export const IGNORED_HEADER = 'x-ignored';
const NAMES_MAX = 20;
const SHOWN = /^[A-Za-z0-9_.-]{1,40}$/;
/** Refusals of what was read; before others the request's content was not looked at. */
const JUDGED: ReadonlySet<number> = new Set([403, 404, 409, 422]);

interface Read {
  readonly query: ParsedQuery;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** The reply, which names what the request had in vain. */
export function withIgnored(
  { body: schema }: Pick<ApiRoute, 'body'>,
  { query, body }: Read,
  reply: Reply,
): Reply {
  if (reply.status >= 300 && !JUDGED.has(reply.status)) return reply;
  const names = new Set(query.unknown.map(shown));
  if (schema && body) collect(shapeOf(schema), { value: body, path: '' }, names);
  if (names.size === 0) return reply;
  const listed = [...names].slice(0, NAMES_MAX).join(', ');
  return { ...reply, headers: { ...reply.headers, [IGNORED_HEADER]: listed } };
}

function shown(path: string): string {
  return SHOWN.test(path) ? path : '?';
}

/** What a schema knows of a value; a map of a caller's own names has no `properties`. */
interface Shape {
  readonly properties: ReadonlyMap<string, Shape> | null;
  readonly item: Shape | null;
}

const shapes = new WeakMap<RequestSchema<unknown>, Shape>();

function shapeOf(schema: RequestSchema<unknown>): Shape {
  const known = shapes.get(schema) ?? readShape(jsonSchemaOf(schema));
  shapes.set(schema, known);
  return known;
}

/** Of alternatives a name is known if one of them has it. */
function readShape(schema: unknown): Shape {
  if (!isPlainObject(schema)) return { properties: null, item: null };
  const { anyOf, oneOf = anyOf, properties, items } = schema;
  const alternatives = (Array.isArray(oneOf) ? oneOf : []).map(readShape);
  const own = isPlainObject(properties) ? Object.entries(properties) : null;
  const named = [
    ...(own ? [own.map(([name, each]) => [name, readShape(each)] as const)] : []),
    ...alternatives.flatMap((each) => (each.properties ? [[...each.properties]] : [])),
  ];
  return {
    properties: named.length === 0 ? null : new Map(named.flat()),
    item:
      items === undefined
        ? (alternatives.find(({ item }) => item)?.item ?? null)
        : readShape(items),
  };
}

interface Place {
  readonly value: unknown;
  /** With a dot at its end unless empty. */
  readonly path: string;
}

function collect({ properties, item }: Shape, { value, path }: Place, names: Set<string>): void {
  if (names.size >= NAMES_MAX) return;
  if (Array.isArray(value) && item) {
    for (const [at, each] of value.entries()) {
      collect(item, { value: each, path: `${path}${at}.` }, names);
    }
  } else if (isPlainObject(value) && properties) {
    for (const [name, each] of Object.entries(value)) {
      const shape = properties.get(name);
      if (shape) collect(shape, { value: each, path: `${path}${name}.` }, names);
      else names.add(shown(path + name));
    }
  }
}
