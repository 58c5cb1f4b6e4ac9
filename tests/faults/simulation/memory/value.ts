/** Values as MongoDB stores, compares and finds them. */

export type Fields = { [name: string]: unknown };

export function isFields(value: unknown): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/** A copy of its own; undefined fields are left out, as the driver does. */
export function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
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

/** The rank of its type in BSON's order. */
export function rankOf(value: unknown): number {
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

/** Text is compared by its UTF-8 bytes: what needs two units here comes after what needs one. */
function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const one = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (one === other) continue;
    const paired = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;
    if (paired(one) !== paired(other)) return paired(one) ? 1 : one < other ? -1 : other - one;
    return one - other;
  }
  return left.length - right.length;
}

/** BSON's order: by type, and sub-documents field by field: type, name, value. */
export function compared(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
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
  if (left === null || left === undefined) return 0;
  return Number(left) - Number(right);
}

const split = new Map<string, readonly string[]>();

/** The names of a dotted path. */
export function namesOf(path: string): readonly string[] {
  const known = split.get(path);
  if (known) return known;
  const names = path.split('.');
  split.set(path, names);
  return names;
}

/** The value at a dotted path; through an array, its elements' values, undefined for none. */
export function at(value: unknown, path: string): unknown {
  return under(value, namesOf(path));
}

export function under(value: unknown, names: readonly string[]): unknown {
  let found: unknown = value;
  for (const name of names) {
    if (Array.isArray(found)) {
      const list: unknown[] = found;
      const values = list.flatMap((each) =>
        isFields(each) ? [each[name]].flat() : each === undefined ? [undefined] : [],
      );
      found = values.length > 0 ? values : undefined;
    } else if (isFields(found)) found = found[name];
    else return undefined;
  }
  return found;
}

/** Freezes it and all that is in it; a frozen value is so all through. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
