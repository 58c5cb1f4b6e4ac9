/** Values as MongoDB stores, compares and finds them. */

export type Fields = { [name: string]: unknown };

export function isFields(value: unknown): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/** A copy of its own; what is undefined is left out, as the driver does. */
export function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => copied(each) ?? null);
  if (!isFields(value)) return value;
  const copy: Fields = {};
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field !== undefined) copy[name] = copied(field);
  }
  return copy;
}

const RANKS: Readonly<Record<string, number>> = {
  null: 1,
  number: 2,
  string: 3,
  object: 4,
  array: 5,
  boolean: 6,
  date: 7,
};

function rankOf(value: unknown): number {
  let name: string = typeof value;
  if (value === null || value === undefined) name = 'null';
  else if (Array.isArray(value)) name = 'array';
  else if (value instanceof Date) name = 'date';
  const rank = RANKS[name];
  if (rank === undefined) throw new TypeError(`a value that is not known to the database: ${name}`);
  return rank;
}

function compareFields(left: Fields, right: Fields): number {
  const names = [Object.keys(left), Object.keys(right)] as const;
  for (let at = 0; at < Math.max(names[0].length, names[1].length); at++) {
    const [one, other] = [names[0][at], names[1][at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const type = rankOf(left[one]) - rankOf(right[other]);
    if (type !== 0) return type;
    if (one !== other) return one < other ? -1 : 1;
    const value = compared(left[one], right[other]);
    if (value !== 0) return value;
  }
  return 0;
}

/** BSON's order: by type, and sub-documents field by field: type, name, value. */
export function compared(left: unknown, right: unknown): number {
  const ranks = rankOf(left) - rankOf(right);
  if (ranks !== 0) return ranks;
  if (isFields(left) && isFields(right)) return compareFields(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let at = 0; at < Math.min(left.length, right.length); at++) {
      const order = compared(left[at], right[at]);
      if (order !== 0) return order;
    }
    return left.length - right.length;
  }
  if (left === right || left === null || left === undefined) return 0;
  return Number(left) < Number(right) || (typeof left === 'string' && left < String(right))
    ? -1
    : 1;
}

/** The value at a dotted path; through an array, the values of its elements. */
export function at(value: unknown, path: string): unknown {
  let found: unknown = value;
  for (const name of path.split('.')) {
    if (Array.isArray(found)) {
      const list: unknown[] = found;
      found = list.flatMap((each) => (isFields(each) && name in each ? [each[name]] : []));
    } else if (isFields(found)) found = found[name];
    else return undefined;
  }
  return found;
}
