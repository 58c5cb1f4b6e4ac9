/** Which documents a filter finds. What it does not know, it says. */
import type { Document, Filter } from '../../../shared/ports.ts';
import { at, compared, isFields } from './value.ts';

type Test = (value: unknown, operand: unknown) => boolean;

function same(value: unknown, operand: unknown): boolean {
  if (Array.isArray(value) && !Array.isArray(operand)) {
    return value.some((each) => compared(each, operand) === 0);
  }
  return compared(value, operand) === 0;
}

/** Ranges find values of the operand's own type only. */
function ranged(value: unknown, operand: unknown, fits: (order: number) => boolean): boolean {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.some(
    (each) => typeof each === typeof operand && each !== null && fits(compared(each, operand)),
  );
}

function isIn(value: unknown, operand: unknown): boolean {
  return Array.isArray(operand) && operand.some((each) => same(value, each));
}

const TESTS: Readonly<Record<string, Test>> = {
  $eq: same,
  $ne: (value, operand) => !same(value, operand),
  $in: isIn,
  $nin: (value, operand) => !isIn(value, operand),
  $exists: (value, operand) => (value !== undefined) === operand,
  $lt: (value, operand) => ranged(value, operand, (order) => order < 0),
  $lte: (value, operand) => ranged(value, operand, (order) => order <= 0),
  $gt: (value, operand) => ranged(value, operand, (order) => order > 0),
  $gte: (value, operand) => ranged(value, operand, (order) => order >= 0),
  $regex: (value, operand) => typeof value === 'string' && new RegExp(String(operand)).test(value),
};

function fits(value: unknown, wanted: unknown): boolean {
  if (!isFields(wanted)) return same(value, wanted);
  const names = Object.keys(wanted);
  if (!names.every((name) => name.startsWith('$'))) return compared(value, wanted) === 0;
  return names.every((name) => {
    const test = TESTS[name];
    if (!test) throw new TypeError(`${name} in a filter is not known to the database`);
    return test(value, wanted[name]);
  });
}

export function matches(document: Document, filter: Filter): boolean {
  for (const path of Object.keys(filter)) {
    const wanted = filter[path];
    if (wanted === undefined) continue;
    if (path.startsWith('$')) throw new TypeError(`${path} is not known to the database`);
    if (!fits(at(document, path), wanted)) return false;
  }
  return true;
}
