/** JSON Schema of the document as TypeScript. */
export type Schema = Readonly<Record<string, unknown>>;

const INDENT = '  ';

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The type of a schema, in one expression. @throws for a schema that it does not know */
export function typeOf(schema: Schema, depth = 0): string {
  if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum))
    return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return choices.map((each) => typeOf(each, depth)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly ${itemType(schema.items, depth)}[]`;
    case 'object':
      return objectType(schema, depth);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`no type for the schema ${JSON.stringify(schema)}`);
  }
}

function itemType(items: unknown, depth: number): string {
  const type = isObject(items) ? typeOf(items, depth) : 'unknown';
  return type.includes(' | ') ? `(${type})` : type;
}

function objectType(schema: Schema, depth: number): string {
  const { properties, additionalProperties } = schema;
  if (!isObject(properties) || Object.keys(properties).length === 0) {
    if (isObject(additionalProperties)) {
      return `Readonly<Record<string, ${typeOf(additionalProperties, depth)}>>`;
    }
    return 'Readonly<Record<string, unknown>>';
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const pad = INDENT.repeat(depth + 1);
  const lines = Object.entries(properties).map(([name, property]) => {
    if (!isObject(property)) throw new Error(`no schema for ${name}`);
    const mark = required.includes(name) ? '' : '?';
    const missing = mark === '' ? '' : ' | undefined';
    return `${comment(property.description, pad)}${pad}readonly ${nameOf(name)}${mark}: ${typeOf(property, depth + 1)}${missing};`;
  });
  return `{\n${lines.join('\n')}\n${INDENT.repeat(depth)}}`;
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A comment line before a member; empty without a text. */
export function comment(text: unknown, pad: string): string {
  if (typeof text !== 'string' || text === '') return '';
  return `${pad}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;
}
