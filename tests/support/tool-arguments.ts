/**
 * Arguments of a tool, made from its `inputSchema`, that a request over HTTP can say as well. A
 * wrong value of a query is therefore a text which cannot be read as its type.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as v from 'valibot';

const Schema = v.looseObject({
  type: v.optional(v.string()),
  const: v.optional(v.union([v.string(), v.boolean()])),
  enum: v.optional(v.array(v.string())),
  pattern: v.optional(v.string()),
  format: v.optional(v.string()),
  anyOf: v.optional(v.array(v.unknown())),
  oneOf: v.optional(v.array(v.unknown())),
  items: v.optional(v.unknown()),
  not: v.optional(v.strictObject({})),
  properties: v.optional(v.record(v.string(), v.unknown())),
  required: v.optional(v.array(v.string()), []),
});

/** Values that exist, by the name of the argument. */
export type Known = Readonly<Record<string, readonly string[]>>;

export type Arguments = Readonly<Record<string, unknown>>;

export interface ArgumentsOptions {
  readonly known: Known;
  /** The arguments become a query string: texts, and what a text cannot be mistaken for. */
  readonly asQuery: boolean;
}

const MATCHING: Readonly<Record<string, readonly string[]>> = {
  '^\\d{4}-\\d{2}-\\d{2}$': ['2026-12-31', '2027-02-30', '2028-02-29'],
  '^(?:[01]\\d|2[0-3]):[0-5]\\d$': ['00:00', '23:59'],
};
const FORMATTED: Readonly<Record<string, readonly string[]>> = {
  email: ['ana@example.com', 'ana@example', 'ana'],
  'date-time': ['2026-12-24T12:00:00.000Z', '2026-02-30T12:00:00.000Z', 'amanhã'],
  uri: ['ftp://example.com/a.png', 'nothing'],
};
/** Neither a number nor `true` nor `false`. */
const PLAIN = /^(?!-?\d{1,15}$|true$|false$)/;

const wellFormed = fc.string({ unit: 'grapheme', maxLength: 30 });
/** No header says more. */
const inHeader = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
/** A null argument is one that was left out, which a body of HTTP says otherwise. */
const wild = fc.jsonValue({ maxDepth: 3 }).filter((value) => value !== null);

/** Each argument may be absent, of its own type, or wrong. */
export function argumentsOf(
  inputSchema: unknown,
  options: ArgumentsOptions,
): fc.Arbitrary<Arguments> {
  const { properties = {}, required } = v.parse(Schema, inputSchema);
  const model = Object.entries(properties).map(([name, property]) => {
    const good = valueFor(property, name, options);
    const bad: fc.Arbitrary<unknown> = options.asQuery ? badQueryValue(property) : wild;
    const value =
      name === 'idempotencyKey'
        ? fc.oneof({ weight: 8, arbitrary: fc.constantFrom('k1', 'k2', 'k3') }, inHeader)
        : fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: bad });
    // One in so many is absent.
    const freq = required.includes(name) ? 20 : 2;
    const entry = fc.option(value, { freq, nil: undefined });
    return [name, entry] as const;
  });
  const all = fc.record(Object.fromEntries(model));
  return all.map((values) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
  );
}

function badQueryValue(property: unknown): fc.Arbitrary<string> {
  const { type } = v.parse(Schema, property);
  return type === 'string' ? wellFormed : wellFormed.filter((text) => PLAIN.test(text));
}

function valueFor(
  property: unknown,
  name: string,
  options: ArgumentsOptions,
): fc.Arbitrary<unknown> {
  const schema = v.parse(Schema, property);
  const { anyOf, oneOf, type } = schema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((each) => valueFor(each, name, options)));
  // No value is right: it is left out, or wrong.
  if (schema.not !== undefined) return fc.constant(undefined);
  if (schema.const !== undefined) return fc.constant(schema.const);
  switch (type) {
    case 'string':
      return textOf(schema, options.known[name]);
    case 'integer':
      return fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: -5, max: 10 ** 12 }));
    case 'number':
      return fc.oneof(fc.double({ min: -90, max: 90 }), fc.double({ noNaN: true }));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valueFor(schema.items, name, options), { maxLength: 3 });
    case 'object':
      if (schema.properties) return argumentsOf(schema, { ...options, asQuery: false });
      return fc.dictionary(fc.string({ maxLength: 8 }), wellFormed, { maxKeys: 3 });
    default:
      return assert.fail(`no values are known for ${JSON.stringify(property)}`);
  }
}

function textOf(
  { enum: values, pattern, format }: v.InferOutput<typeof Schema>,
  known: readonly string[] | undefined,
): fc.Arbitrary<string> {
  const listed = known ?? values ?? FORMATTED[format ?? ''] ?? MATCHING[pattern ?? ''];
  if (!listed) return wellFormed;
  const [first = '', ...others] = listed;
  return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(first, ...others) }, wellFormed);
}

/** The request over HTTP that says the same. */
export function httpRequestOf(
  { method, path }: { readonly method: string; readonly path: string },
  given: Arguments,
) {
  const { idempotencyKey, ...rest } = given;
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(rest[name])),
  );
  const values = Object.fromEntries(Object.entries(rest).filter(([name]) => !inPath.has(name)));
  const key = typeof idempotencyKey === 'string' ? { 'idempotency-key': idempotencyKey } : {};
  if (method === 'POST') return { method, path: filled, body: values, headers: { ...key } };
  const pairs = Object.entries(values).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const query = new URLSearchParams(pairs);
  return { method, path: `${filled}?${query}`, headers: {} };
}

/** Ids, moments and what the network makes of a message, which no two calls share. */
export function withoutIdentity(value: unknown): unknown {
  const text = JSON.stringify(value) ?? '';
  const plain = text
    .replaceAll(/\b[a-z]{2,5}_(?:[\w-]{1,2}_)?\w{22}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<moment>');
  return plain === '' ? undefined : JSON.parse(plain);
}
