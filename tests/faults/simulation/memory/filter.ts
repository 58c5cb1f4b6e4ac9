/** Selects the documents that a filter matches. An unknown operator is an error. */
import type { Document, Filter } from '../../../support/plain-store.ts';
import { compared, type Fields, isFields, namesOf, rankOf, under } from './value.ts';

type Test = (value: unknown, operand: unknown) => boolean;

function same(value: unknown, operand: unknown): boolean {
  if (value === operand) return true;
  if (typeof value === 'string' && typeof operand === 'string') return false;
  if (Array.isArray(value) && !Array.isArray(operand)) return hasElement(value, operand);
  return compared(value, operand) === 0;
}

function hasElement(list: readonly unknown[], operand: unknown): boolean {
  return list.some((each) => compared(each, operand) === 0);
}

/** Ranges find values of the operand's own type only. */
function ranged(value: unknown, operand: unknown, fits: (order: number) => boolean): boolean {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.some((each) => rankOf(each) === rankOf(operand) && fits(compared(each, operand)));
}

function isIn(value: unknown, operand: unknown): boolean {
  return Array.isArray(operand) && operand.some((each) => same(value, each));
}

function found(value: unknown, pattern: RegExp): boolean {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.some((each) => typeof each === 'string' && pattern.test(each));
}

function exists(value: unknown): boolean {
  const values: unknown[] = Array.isArray(value) && value.length > 0 ? value : [value];
  return values.some((each) => each !== undefined);
}

const TESTS: Readonly<Record<string, Test>> = {
  $eq: same,
  $ne: (value, operand) => !same(value, operand),
  $in: isIn,
  $nin: (value, operand) => !isIn(value, operand),
  $exists: (value, operand) => exists(value) === Boolean(operand),
  $lt: (value, operand) => ranged(value, operand, (order) => order < 0),
  $lte: (value, operand) => ranged(value, operand, (order) => order <= 0),
  $gt: (value, operand) => ranged(value, operand, (order) => order > 0),
  $gte: (value, operand) => ranged(value, operand, (order) => order >= 0),
  $regex: (value, operand) => found(value, new RegExp(String(operand), 'u')),
  $not: (value, operand) =>
    !Object.entries(Object(operand)).every(([name, each]) => testNamed(name)(value, each)),
};

function testNamed(name: string): Test {
  const test = TESTS[name];
  if (!test) throw new TypeError(`${name} in a filter is not known to the database`);
  return test;
}

/** A document of which it asks whether it is found. */
type Condition = (document: Fields) => boolean;

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** Most lists are of plain values, and long; few of them come to be searched. */
function searching(list: readonly unknown[]): Test {
  let plain: ReadonlySet<unknown> | null | undefined;
  return (value) => {
    if (!isPlain(value)) return isIn(value, list);
    if (plain === undefined) plain = list.every(isPlain) ? new Set(list) : null;
    return plain ? plain.has(value) : isIn(value, list);
  };
}

function conditionOf(path: string, test: Test, operand: unknown): Condition {
  const names = namesOf(path);
  const first = names[0] ?? '';
  // Most documents lack the field: an agenda finds few of a log.
  let findsMissing: boolean | undefined;
  return (document) => {
    const field = document[first];
    const value = names.length > 1 && field !== undefined ? under(document, names) : field;
    if (value !== undefined) return test(value, operand);
    findsMissing ??= test(undefined, operand);
    return findsMissing;
  };
}

function anyOf(filters: readonly Filter[]): Condition {
  const choices = filters.map(conditionsOf);
  return (document) => choices.some((all) => all.every((condition) => condition(document)));
}

/** Every single condition of a filter. */
function conditionsOf(filter: Filter): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const path of Object.keys(filter)) {
    const wanted = filter[path];
    if (wanted === undefined) continue;
    if (path === '$or' && Array.isArray(wanted)) {
      conditions.push(anyOf(wanted));
      continue;
    }
    if (path.startsWith('$')) throw new TypeError(`${path} is not known to the database`);
    const names = isFields(wanted) ? Object.keys(wanted) : [];
    if (!isFields(wanted) || !names.some((name) => name.startsWith('$'))) {
      conditions.push(conditionOf(path, same, wanted));
      continue;
    }
    for (const name of names) {
      const test = testNamed(name);
      const operand = wanted[name];
      const isSearch = name === '$in' && Array.isArray(operand);
      conditions.push(conditionOf(path, isSearch ? searching(operand) : test, operand));
    }
  }
  return conditions;
}

export function matching(filter: Filter): (document: Document) => boolean {
  const conditions = conditionsOf(filter);
  return (document) => {
    for (const condition of conditions) if (!condition(document)) return false;
    return true;
  };
}
