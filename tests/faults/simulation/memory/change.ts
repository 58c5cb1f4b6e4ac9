/** Applies an update to a document. An unknown operator is an error. */
import { at, compared, type Fields, isFields, namesOf, rankOf } from './value.ts';

/** The document that holds the path's last name, made for this change alone. */
function parentOf(document: Fields, names: readonly string[]): Fields {
  let parent = document;
  for (const each of names.slice(0, -1)) {
    const next = parent[each];
    if (next !== undefined && !isFields(next)) {
      throw new TypeError(`a field of ${rankOf(next)} is not known to the database`);
    }
    const own: Fields = { ...next };
    parent[each] = own;
    parent = own;
  }
  return parent;
}

function put(document: Fields, path: string, value: unknown): void {
  const names = namesOf(path);
  parentOf(document, names)[names.at(-1) ?? ''] = value;
}

function remove(document: Fields, path: string): void {
  if (at(document, path) === undefined) return;
  const names = namesOf(path);
  delete parentOf(document, names)[names.at(-1) ?? ''];
}

function pushed(list: unknown, operand: unknown): unknown[] {
  const before: unknown[] = Array.isArray(list) ? list : [];
  if (!isFields(operand) || !Array.isArray(operand.$each)) return [...before, operand];
  const each: unknown[] = operand.$each;
  const all = [...before, ...each];
  const { $slice: kept } = operand;
  if (typeof kept !== 'number') return all;
  return kept < 0 ? all.slice(kept) : all.slice(0, kept);
}

type Operator = (document: Fields, path: string, operand: unknown) => void;

const OPERATORS: Readonly<Record<string, Operator>> = {
  $set: put,
  $setOnInsert: () => undefined,
  $unset: remove,
  $inc: (document, path, operand) =>
    put(document, path, Number(at(document, path) ?? 0) + Number(operand)),
  $max: (document, path, operand) => {
    const known = at(document, path);
    if (known === undefined || compared(operand, known) > 0) put(document, path, operand);
  },
  $min: (document, path, operand) => {
    const known = at(document, path);
    if (known === undefined || compared(operand, known) < 0) put(document, path, operand);
  },
  $push: (document, path, operand) => put(document, path, pushed(at(document, path), operand)),
};

const REMOVED = Symbol('removed');

interface Names {
  readonly document: Fields;
  readonly element?: unknown;
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('an expression that is not known to the database');
  return value;
}

/** To an expression, a missing value is not null. */
function equal(left: unknown, right: unknown): boolean {
  return (left === undefined) === (right === undefined) && compared(left, right) === 0;
}

/** An aggregation expression, as pipeline updates use them. */
function valued(expression: unknown, names: Names): unknown {
  if (typeof expression === 'string' && expression.startsWith('$')) {
    if (expression === '$$REMOVE') return REMOVED;
    if (expression === '$$this') return names.element;
    if (expression.startsWith('$$this.')) return at(names.element, expression.slice(7));
    return at(names.document, expression.slice(1));
  }
  if (Array.isArray(expression)) return expression.map((each) => valued(each, names));
  if (!isFields(expression)) return expression;
  const [name, operand] = Object.entries(expression)[0] ?? [];
  if (name === undefined) return {};
  const value = (each: unknown): unknown => valued(each, names);
  switch (name) {
    case '$literal':
      return operand;
    case '$ifNull': {
      const [first, otherwise] = list(operand);
      return value(first) ?? value(otherwise);
    }
    case '$cond': {
      const [test, yes, no] = list(operand);
      return value(value(test) === true ? yes : no);
    }
    case '$eq': {
      const [left, right] = list(operand);
      return equal(value(left), value(right));
    }
    case '$not':
      return value(Array.isArray(operand) ? operand[0] : operand) !== true;
    case '$in': {
      const [needle, hay] = list(operand);
      return list(value(hay)).some((each) => equal(value(needle), each));
    }
    case '$filter': {
      const { input, cond } = Object(operand);
      return list(value(input)).filter(
        (element) => valued(cond, { document: names.document, element }) === true,
      );
    }
    default:
      throw new TypeError(`${name} in an update is not known to the database`);
  }
}

function stage(document: Fields, step: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(step);
  if (names.length !== 1 || names[0] !== '$set') {
    throw new TypeError(`${names.join()} in a pipeline is not known to the database`);
  }
  const before = { document: { ...document } };
  for (const [path, expression] of Object.entries(Object(step.$set))) {
    const value = valued(expression, before);
    // A missing value is copied as missing.
    if (value === REMOVED || value === undefined) remove(document, path);
    else put(document, path, value);
  }
}

interface Step {
  readonly path: string;
  readonly operator: Operator;
  readonly operand: unknown;
}

/** In the order of their paths, not of the request: new fields get this order. */
function stepsOf(how: Readonly<Record<string, unknown>>, inserted: boolean): readonly Step[] {
  const steps: Step[] = [];
  for (const [name, operands] of Object.entries(how)) {
    const operator = inserted && name === '$setOnInsert' ? put : OPERATORS[name];
    if (!operator) throw new TypeError(`${name} in an update is not known to the database`);
    for (const [path, operand] of Object.entries(Object(operands))) {
      if (operand !== undefined) steps.push({ path, operator, operand });
    }
  }
  return steps.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** The document after the change; unchanged parts are shared with the one before. */
export function changed(
  document: Readonly<Fields>,
  how: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[],
  { inserted }: { readonly inserted: boolean },
): Fields {
  const after = { ...document };
  if (Array.isArray(how)) for (const step of how) stage(after, step);
  else {
    for (const { path, operator, operand } of stepsOf(Object(how), inserted)) {
      operator(after, path, operand);
    }
  }
  return after;
}
