/** Values that a JSON Schema of the OpenAPI document accepts. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import type { SeededRandom } from '../simulation/world/seeded-random.ts';

const Schema = v.object({
  type: v.optional(v.string()),
  const: v.optional(v.unknown()),
  enum: v.optional(v.array(v.string())),
  pattern: v.optional(v.string()),
  format: v.optional(v.string()),
  minLength: v.optional(v.number(), 0),
  maxLength: v.optional(v.number(), 60),
  minimum: v.optional(v.number(), 0),
  maximum: v.optional(v.number(), 1_000),
  minItems: v.optional(v.number(), 0),
  maxItems: v.optional(v.number(), 5),
  anyOf: v.optional(v.array(v.unknown())),
  oneOf: v.optional(v.array(v.unknown())),
  items: v.optional(v.unknown()),
  properties: v.optional(v.record(v.string(), v.unknown())),
  required: v.optional(v.array(v.string()), []),
  additionalProperties: v.optional(v.unknown()),
  propertyNames: v.optional(v.object({ maxLength: v.optional(v.number(), 30) }), {}),
});
type Schema = v.InferOutput<typeof Schema>;

/** Ids and phones that exist, by the name of the field that takes them. */
export type Pool = Readonly<Record<string, readonly string[]>>;

/** The patterns of the document, each with texts that match it. */
const MATCHING: Readonly<Record<string, readonly string[]>> = {
  '^\\d{4}-\\d{2}-\\d{2}$': ['2026-12-31', '2028-02-29', '2027-06-15'],
  '^(?:[01]\\d|2[0-3]):[0-5]\\d$': ['00:00', '09:30', '23:59'],
  '^[a-z0-9-]{1,40}$': ['default', 'erp', 'erp-2', '-'],
};
const LETTERS = ['a', 'Ç', 'ã', ' ', '1', '_', '.', '-', '\n', '"', '\\', '👍', '漢', 'z'] as const;
const FORMATTED: Readonly<Record<string, readonly string[]>> = {
  email: ['ana@example.com', 'a.b+c@sub.example.com'],
  'date-time': ['2026-12-24T12:00:00.000Z', '2028-02-29T23:59:59.999Z', '1999-01-01T00:00:00.000Z'],
  /** Refused all of them, and nothing is ever fetched. */
  uri: ['http://127.0.0.1:9/a.png', 'https://[::1]/x.jpg', 'http://10.0.0.1/'],
};

export interface Making {
  readonly random: SeededRandom;
  readonly pool: Pool;
  /** The chance of each optional field. */
  readonly fullness: number;
}

/** A value for the field of that name. */
export function validValue(given: unknown, name: string, making: Making): unknown {
  const schema = v.parse(Schema, given);
  const { random } = making;
  if ('const' in Object(given)) return schema.const;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return validValue(random.pick(alternatives), name, making);
  switch (schema.type) {
    case 'string':
      return validText(schema, name, making);
    case 'boolean':
      return random.happens(0.5);
    case 'null':
      return null;
    case 'integer':
      return validInteger(schema, random);
    case 'number':
      return validInteger(schema, random) / 2;
    case 'array':
      return times(Math.max(schema.minItems, random.below(Math.min(schema.maxItems, 5) + 1)), () =>
        validValue(schema.items, name, making),
      );
    case 'object':
      return validObject(schema, making);
    default:
      assert.fail(`no values are known for ${JSON.stringify(given)}`);
  }
}

function validInteger({ minimum, maximum }: Schema, random: SeededRandom): number {
  const most = random.happens(0.1) ? maximum : Math.min(maximum, minimum + 50);
  return minimum + random.below(most - minimum + 1);
}

function validText(schema: Schema, name: string, { random, pool }: Making): string {
  if (name === 'phone' && random.happens(0.2))
    return `+55 21 9${7_000_000 + random.below(2_000_000)}0`;
  const known = pool[name];
  if (known && known.length > 0) return random.pick(known);
  if (schema.enum) return random.pick(schema.enum);
  if (schema.format !== undefined) return random.pick(FORMATTED[schema.format] ?? []);
  if (schema.pattern !== undefined) return random.pick(MATCHING[schema.pattern] ?? []);
  const atMost = random.happens(0.03) ? schema.maxLength : Math.min(schema.maxLength, 20);
  const length = Math.max(schema.minLength, random.below(atMost + 1));
  return times(length, () => random.pick(LETTERS)).join('');
}

function validObject(schema: Schema, making: Making): object {
  const { random } = making;
  if (!schema.properties) {
    const names = times(random.below(4), () => `campo_${random.below(9)}`);
    const open = schema.additionalProperties ?? { type: 'string' };
    return Object.fromEntries(names.map((name) => [name, validValue(open, name, making)]));
  }
  const entries = Object.entries(schema.properties)
    // `{ not: {} }` describes a field that no value of is taken.
    .filter(([, property]) => !('not' in Object(property)))
    .filter(([name]) => schema.required.includes(name) || random.happens(making.fullness))
    .map(([name, property]) => [name, validValue(property, name, making)]);
  return Object.fromEntries(entries);
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
