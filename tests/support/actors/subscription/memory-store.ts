/** The record in memory: what the subscriptions' actors ask of it, and no more. */
import assert from 'node:assert/strict';
import type { Document, Filter, FindOptions, Store, Stored, Write } from '../../plain-store.ts';

type Value = unknown;

export interface MemoryStore extends Store {
  /** Everything in a collection, as it is now. */
  all<T extends Stored = Document>(collection: string): T[];
  /** Puts a document there, or in the place of an older one. */
  put(collection: string, document: Document | Stored): void;
  /** How often the record was asked or written to. */
  calls: number;
}

function at(document: Value, path: string): Value {
  let value: Value = document;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Array.isArray(value)
      ? value.map((each) => Reflect.get(Object(each), name))
      : Reflect.get(value, name);
  }
  return value;
}

function isNumber(value: Value): value is number {
  return typeof value === 'number';
}

const OPERATORS: Readonly<Record<string, (value: Value, wanted: Value) => boolean>> = {
  $in: (value, wanted) =>
    Array.isArray(wanted) && [value].flat().some((each) => wanted.includes(each ?? null)),
  $nin: (value, wanted) => Array.isArray(wanted) && !wanted.includes(value),
  $gt: (value, wanted) =>
    isNumber(value) ? isNumber(wanted) && value > wanted : String(value) > String(wanted),
  $lt: (value, wanted) => isNumber(value) && isNumber(wanted) && value < wanted,
  $lte: (value, wanted) => isNumber(value) && isNumber(wanted) && value <= wanted,
  $exists: (value, wanted) => (value !== undefined) === wanted,
  $gte: (value, wanted) => isNumber(value) && isNumber(wanted) && value >= wanted,
};

function matches(document: Document, filter: Filter): boolean {
  return Object.entries(filter).every(([path, wanted]) => {
    const value = at(document, path);
    if (typeof wanted !== 'object' || wanted === null) {
      return Array.isArray(value) ? value.includes(wanted) : value === wanted;
    }
    return Object.entries(wanted).every(([name, operand]) => {
      const operator = OPERATORS[name];
      assert.ok(operator, `the store knows ${name}`);
      return operator(value, operand);
    });
  });
}

/** As MongoDB compares the subdocuments: field by field, and the first that differs decides. */
function rises(next: Value, known: Value): boolean {
  if (known === undefined) return true;
  for (const name of ['epoch', 'revision']) {
    const [left, right] = [at(next, name), at(known, name)];
    assert.ok(isNumber(left) && isNumber(right));
    if (left !== right) return left > right;
  }
  return false;
}

function sorted<T extends Stored>(documents: T[], sort: FindOptions['sort'] = {}): T[] {
  return documents.sort((a, b) => {
    for (const [path, direction] of Object.entries(sort)) {
      const [left, right] = [at(a, path), at(b, path)];
      if (left === right) continue;
      return String(left).padStart(20, '0') < String(right).padStart(20, '0')
        ? -direction
        : direction;
    }
    return 0;
  });
}

type Collection = Map<string, Document>;

/** False for a duplicate. */
function write(of: (name: string) => Collection, each: Write): boolean {
  if ('insert' in each) {
    const { insert, document } = each;
    if (of(insert).has(document._id)) return false;
    of(insert).set(document._id, structuredClone(document as Document));
    return true;
  }
  if ('remove' in each) {
    for (const [id, document] of of(each.remove)) {
      if (matches(document, each.filter)) of(each.remove).delete(id);
    }
    return true;
  }
  const id = String(each.filter._id);
  assert.deepEqual(Object.keys(each.filter), ['_id'], 'changes are filtered by _id alone');
  const known = of(each.update).get(id);
  if (!known && each.upsert !== true) return true;
  const { $max, $set } = Object(each.change);
  const { state } = Object($max);
  const next = rises(state, known?.state) ? structuredClone(state) : known?.state;
  of(each.update).set(id, { ...known, ...$set, _id: id, state: next });
  return true;
}

export function createMemoryStore(): MemoryStore {
  const collections = new Map<string, Collection>();
  const of = (name: string) => {
    const known = collections.get(name) ?? new Map<string, Document>();
    collections.set(name, known);
    return known;
  };
  const find = (name: string, filter: Filter) =>
    [...of(name).values()].filter((document) => matches(document, filter));
  const store: MemoryStore = {
    calls: 0,
    all: <T extends Stored>(name: string) =>
      structuredClone([...of(name).values()]) as Stored[] as T[],
    put: (name, document) => void of(name).set(document._id, structuredClone(document) as Document),
    async commit(writes) {
      store.calls++;
      return writes.map((each) =>
        write(of, each) ? { ok: true } : { ok: false, duplicate: '_id_' },
      );
    },
    async byId<T extends Stored>(name: string, id: string) {
      store.calls++;
      return structuredClone(of(name).get(id) ?? null) as Stored | null as T | null;
    },
    async find<T extends Stored>(name: string, filter: Filter, options: FindOptions = {}) {
      store.calls++;
      const { skip = 0, limit = Number.POSITIVE_INFINITY } = options;
      const found = sorted(find(name, filter), options.sort).slice(skip, skip + limit);
      return structuredClone(found) as Stored[] as T[];
    },
    async findOne<T extends Stored>(name: string, filter: Filter) {
      store.calls++;
      return structuredClone(find(name, filter)[0] ?? null) as Stored | null as T | null;
    },
    existsEach: async (questions) =>
      questions.map(({ collection, filter }) => find(collection, filter).length > 0),
    count: async (name, filter) => find(name, filter).length,
  };
  return store;
}
