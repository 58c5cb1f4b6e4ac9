/** JSON values as literals of the languages that the examples are written in. */

interface Notation {
  readonly text: (value: string) => string;
  readonly key: (name: string) => string;
  readonly nothing: string;
  readonly truth: readonly [no: string, yes: string];
  readonly step: string;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

function singleQuoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return `'${inner.replaceAll("'", "\\'")}'`;
}

const TYPESCRIPT: Notation = {
  text: singleQuoted,
  key: (name) => (IDENTIFIER.test(name) ? name : singleQuoted(name)),
  nothing: 'null',
  truth: ['false', 'true'],
  step: '  ',
};

/** The escapes of a JSON string mean the same in Python. */
const PYTHON: Notation = {
  text: (text) => JSON.stringify(text),
  key: (name) => JSON.stringify(name),
  nothing: 'None',
  truth: ['False', 'True'],
  step: '    ',
};

export function typescriptLiteral(value: unknown, indent = ''): string {
  return written(TYPESCRIPT, value, indent);
}

export function pythonLiteral(value: unknown, indent = ''): string {
  return written(PYTHON, value, indent);
}

function written(notation: Notation, value: unknown, indent: string): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return notation.truth[value ? 1 : 0];
  if (typeof value !== 'object' || value === null) return notation.nothing;
  const inner = indent + notation.step;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((each) => written(notation, each, inner))
    : Object.entries(value).map(
        ([name, each]) => `${notation.key(name)}: ${written(notation, each, inner)}`,
      );
  const [open, close] = isList ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  if (isList && !items.some((item) => item.includes('\n'))) {
    return `${open}${items.join(', ')}${close}`;
  }
  const lines = items.map((item) => inner + item).join(',\n');
  return `${open}\n${lines},\n${indent}${close}`;
}
