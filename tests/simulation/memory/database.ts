/**
 * The record of a simulated world: MongoDB's semantics as far as the actors rely on them, in
 * memory and at once. `database.test.ts` holds it against the real engine.
 */
import type { Document, Filter, FindOptions, Write, WriteOutcome } from '../../../shared/ports.ts';
import { change } from './change.ts';
import { matches } from './filter.ts';
import { at, compared, copied, type Fields, isFields } from './value.ts';

type Collection = Map<string, Document>;

const OK: WriteOutcome = { ok: true };
/** Unique indexes beside `_id`: the fence of the log (infra/mongo/indexes). */
const UNIQUE: Readonly<
  Record<string, { readonly name: string; readonly paths: readonly string[] }>
> = { entries: { name: 'conversation_seq', paths: ['conversationId', 'seq'] } };

function keyOf(collection: string, document: Document): string | null {
  const unique = UNIQUE[collection];
  return unique ? unique.paths.map((path) => String(at(document, path))).join(' ') : null;
}

function sorted(documents: Document[], sort: FindOptions['sort']): Document[] {
  const order = Object.entries(sort ?? {});
  if (order.length === 0) return documents;
  return documents.sort((left, right) => {
    for (const [path, direction] of order) {
      const by = compared(at(left, path), at(right, path));
      if (by !== 0) return by * direction;
    }
    return 0;
  });
}

function projected(document: Document, project: FindOptions['project']): Document {
  const copy = copied(document) as Document & Fields;
  const paths = Object.entries(project ?? {});
  if (paths.length === 0) return copy;
  if (paths.every(([, wanted]) => wanted === 0)) {
    for (const [path] of paths) change(copy, { $unset: { [path]: '' } }, false);
    return copy;
  }
  const kept: Fields = {};
  for (const [path, wanted] of paths) {
    const [head = '', ...rest] = path.split('.');
    if (wanted === 0 || !(head in copy)) continue;
    const value = copy[head];
    // Of an array's elements the whole is kept: nobody here relies on the rest being away.
    if (rest.length === 0 || Array.isArray(value)) kept[head] = value;
    else if (isFields(value)) {
      const found = at(value, rest.join('.'));
      if (found !== undefined) change(kept, { $set: { [path]: found } }, false);
    }
  }
  return { ...kept, _id: document._id };
}

export class Database {
  readonly #collections = new Map<string, Collection>();
  readonly #keys = new Map<string, Map<string, string>>();

  apply(write: Write): WriteOutcome {
    if ('insert' in write) return this.#insert(write.insert, copied(write.document) as Document);
    if ('remove' in write) {
      for (const document of this.#matching(write.remove, write.filter)) {
        this.#drop(write.remove, document);
      }
      return OK;
    }
    const found = this.#matching(write.update, write.filter);
    if (found.length === 0) return write.upsert ? this.#upsert(write) : OK;
    for (const document of write.many ? found : found.slice(0, 1)) {
      const changed = copied(document) as Document & Fields;
      change(changed, write.change, false);
      this.#drop(write.update, document);
      this.#put(write.update, changed);
    }
    return OK;
  }

  find<T extends Document>(collection: string, filter: Filter, options: FindOptions = {}): T[] {
    const { skip = 0, limit = Number.POSITIVE_INFINITY } = options;
    return sorted(this.#matching(collection, filter), options.sort)
      .slice(skip, skip + (limit === 0 ? Number.POSITIVE_INFINITY : limit))
      .map((document) => projected(document, options.project) as T);
  }

  findOne<T extends Document>(
    collection: string,
    filter: Filter,
    options: FindOptions = {},
  ): T | null {
    return this.find<T>(collection, filter, { ...options, limit: 1 })[0] ?? null;
  }

  byId<T extends Document>(collection: string, id: string): T | null {
    return (copied(this.#of(collection).get(id)) as T | undefined) ?? null;
  }

  count(collection: string, filter: Filter): number {
    return this.#matching(collection, filter).length;
  }

  /** Everything in a collection, uncopied: for reading only. */
  all(collection: string): readonly Document[] {
    return [...this.#of(collection).values()];
  }

  collections(): readonly string[] {
    return [...this.#collections.keys()].sort();
  }

  #of(collection: string): Collection {
    const known = this.#collections.get(collection);
    if (known) return known;
    const made: Collection = new Map();
    this.#collections.set(collection, made);
    return made;
  }

  #matching(collection: string, filter: Filter): Document[] {
    const all = this.#of(collection);
    const { _id: id } = filter;
    if (typeof id === 'string') {
      const found = all.get(id);
      return found && matches(found, filter) ? [found] : [];
    }
    const found: Document[] = [];
    for (const document of all.values()) if (matches(document, filter)) found.push(document);
    return found;
  }

  #insert(collection: string, document: Document): WriteOutcome {
    if (this.#of(collection).has(document._id)) return { ok: false, duplicate: '_id_' };
    const key = keyOf(collection, document);
    if (key !== null && this.#keysOf(collection).has(key)) {
      return { ok: false, duplicate: UNIQUE[collection]?.name ?? '' };
    }
    this.#put(collection, document);
    return OK;
  }

  #upsert(write: Extract<Write, { update: string }>): WriteOutcome {
    const made: Fields = {};
    for (const [path, wanted] of Object.entries(write.filter)) {
      const operators =
        isFields(wanted) && Object.keys(wanted).some((name) => name.startsWith('$'));
      if (!operators && wanted !== undefined) change(made, { $set: { [path]: wanted } }, false);
    }
    change(made, write.change, true);
    return this.#insert(write.update, { ...made, _id: String(made._id) });
  }

  #keysOf(collection: string): Map<string, string> {
    const known = this.#keys.get(collection);
    if (known) return known;
    const made = new Map<string, string>();
    this.#keys.set(collection, made);
    return made;
  }

  #put(collection: string, document: Document): void {
    this.#of(collection).set(document._id, document);
    const key = keyOf(collection, document);
    if (key !== null) this.#keysOf(collection).set(key, document._id);
  }

  #drop(collection: string, document: Document): void {
    this.#of(collection).delete(document._id);
    const key = keyOf(collection, document);
    if (key !== null) this.#keysOf(collection).delete(key);
  }
}
