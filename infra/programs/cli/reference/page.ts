/**
 * docs/provisioning.md, made from the schema and its descriptions: `recado apply --reference`
 * prints it, and a test holds the page to it.
 */

import type { ObjectDescription, PropertyDescription } from './descriptions.ts';
import { DESCRIPTIONS, definitions, type Node } from './json-schema.ts';
import { AFTERWORD, FOREWORD } from './page-text.ts';

type Definitions = Readonly<Record<string, Node>>;

function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.flatMap((each) => (isNode(each) ? [each] : [])) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

/** `[Pace](#pace)` */
function linkTo(reference: string): string {
  const name = reference.split('/').at(-1) ?? '';
  const heading = DESCRIPTIONS[name]?.heading ?? name;
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  return `[${heading}](#${anchor})`;
}

function bounds({ minimum, maximum, exclusiveMinimum, maxLength }: Node): string {
  if (maximum !== undefined) return `, ${String(minimum)} to ${String(maximum)}`;
  if (exclusiveMinimum !== undefined) return `, more than ${String(exclusiveMinimum)}`;
  return maxLength === undefined ? '' : `, at most ${String(maxLength)} characters`;
}

function typeOfList({ items, minItems, maxItems }: Node): string {
  const of = isNode(items) ? typeOf(items) : 'anything';
  const some = of.includes(',') ? `list of (${of})` : `list of ${of}`;
  if (maxItems !== undefined)
    return `${some}, ${String(minItems ?? 0)} to ${String(maxItems)} of them`;
  return minItems === undefined ? some : `${some}, at least ${String(minItems)}`;
}

/** More types than these are the steps, which the page lists one by one. */
const NAMED_MAX = 10;

/** The type of a property as text. */
function typeOf(node: Node): string {
  if (typeof node.$ref === 'string') return linkTo(node.$ref);
  if (node.allOf !== undefined) return nodes(node.allOf).map(typeOf).join(' and ');
  if (node.anyOf !== undefined || node.oneOf !== undefined) {
    const ways = nodes(node.anyOf ?? node.oneOf).map(typeOf);
    const written = ways.filter((way) => way !== '`""`');
    return written.length > NAMED_MAX ? 'steps' : [...new Set(written)].join(' or ');
  }
  if (node.const !== undefined) return node.const === '' ? '`""`' : `\`${String(node.const)}\``;
  if (Array.isArray(node.enum)) return node.enum.map((each) => `\`${String(each)}\``).join(', ');
  if (node.title !== undefined) return String(node.title);
  switch (node.type) {
    case 'null':
      return '`null`';
    case 'boolean':
      return '`true` or `false`';
    case 'integer':
      return `whole number${bounds(node)}`;
    case 'number':
      return `number${bounds(node)}`;
    case 'array':
      return typeOfList(node);
    case 'object':
      return node.properties
        ? `\`{${Object.keys(node.properties).join(', ')}}\``
        : 'object of templates';
    default:
      return `text${bounds(node)}`;
  }
}

/** The default of a new entry; a default without a single value is in the next column. */
function defaultOf({ needed, default: value }: PropertyDescription, required: boolean): string {
  if (required || needed) return 'required';
  return value === undefined ? '–' : code(value);
}

function omission(words: PropertyDescription, merges: boolean, required: boolean): string {
  if (required) return 'refused';
  const fresh = words.needed
    ? 'refused'
    : (words.without ?? (words.default === undefined ? '' : 'the default'));
  if (!merges) return fresh;
  return `new: ${fresh}. Existing: ${words.later ?? 'stays'}`;
}

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

function row(name: string, { node, words, own }: Shown): string {
  const required = node.required?.includes(name) ?? false;
  const property = node.properties?.[name] ?? {};
  return `| ${[
    `\`${name}\``,
    typeOf(property),
    defaultOf(own, required),
    omission(own, words.merges, required),
    code(own.example),
    own.means,
  ]
    .map(cell)
    .join(' | ')} |`;
}

interface Shown {
  readonly node: Node;
  readonly words: ObjectDescription;
  readonly own: PropertyDescription;
}

function section(words: ObjectDescription, node: Node): string {
  const rows = Object.entries(words.properties).map(([name, own]) =>
    row(name, { node, words, own }),
  );
  return [
    `${'#'.repeat(words.level)} ${words.heading}`,
    words.means,
    [
      '| property | type | default | left out | example | meaning |',
      '|---|---|---|---|---|---|',
      ...rows,
    ].join('\n'),
  ].join('\n\n');
}

export function referencePage(): string {
  const nodes: Definitions = definitions();
  const sections = Object.entries(DESCRIPTIONS).map(([name, words]) =>
    section(words, nodes[name] ?? {}),
  );
  return `${[FOREWORD, ...sections, AFTERWORD].join('\n\n')}\n`;
}
