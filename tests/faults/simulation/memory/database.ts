/**
 * The record of a simulated world: MongoDB's semantics as far as the actors rely on them, in memory
 * and at once. The comparison with the real engine is `conformance.test.ts`.
 * A stored document is never changed, only replaced: unchanged parts are shared, and so are reads.
 * It is frozen, so that code which changes a read document fails.
 */
import { createRequire } from 'node:module';
import type { WriteOutcome } from '../../../../shared/ports/store.ts';
import type { Document, Filter, FindOptions, Stored, Write } from '../../../support/plain-store.ts';
import { changed } from './change.ts';
import { matching } from './filter.ts';
import { projected } from './projection.ts';
import { at, compared, type Fields, frozen, isFields } from './value.ts';

// The driver's own BSON without the driver, which takes a quarter of the time to load a world.
const BSON: typeof import('mongodb').BSON = createRequire(import.meta.resolve('mongodb'))('bson');

type Collection = Map<string, Document>;

const OK: WriteOutcome = { ok: true };
interface Unique {
  readonly name: string;
  readonly keysOf: (document: Document) => readonly string[];
}

/** Unique indexes beside `_id`: fences of log and numbers (infra/adapters/mongo/indexes). */
const UNIQUE: Readonly<Record<string, Unique>> = {
  entries: {
    name: 'conversation_seq',
    keysOf: ({ conversationId, seq }) => [`${conversationId ?? null} ${seq ?? null}`],
  },
  // Of a list each element is a key; a document without it is in no index.
  organizations: {
    name: 'organization_numbers',
    keysOf: ({ numbers }) => (Array.isArray(numbers) ? numbers.map(String) : []),
  },
};

function keysIn(collection: string, document: Document): readonly string[] {
  return UNIQUE[collection]?.keysOf(document) ?? [];
}

/** Logs are read by their conversation: its entries are found without looking at all others. */
const GROUPED: Readonly<Record<string, string>> = { entries: 'conversationId' };

function keyAt(document: Document, path: string): unknown {
  const key = at(document, path);
  if (Array.isArray(key)) throw new TypeError('an order by lists is not known to the database');
  return key;
}

function sorted(documents: Document[], sort: FindOptions['sort']): Document[] {
  if (!sort || documents.length < 2) return documents;
  const order = Object.entries(sort);
  return documents.sort((left, right) => {
    for (const [path, direction] of order) {
      const by = compared(keyAt(left, path), keyAt(right, path));
      if (by !== 0) return by * direction;
    }
    return 0;
  });
}

function shown(document: Document, options: FindOptions): Document {
  const { project, wholeMaxBytes } = options;
  if (wholeMaxBytes === undefined) return projected(document, project);
  const bytes = BSON.calculateObjectSize(document, { ignoreUndefined: true });
  return { _id: document._id, bytes, whole: bytes <= wholeMaxBytes ? document : null };
}

export class Database {
  readonly #collections = new Map<string, Collection>();
  readonly #keys = new Map<string, Map<string, string>>();
  readonly #revisions = new Map<string, number>();
  /** Documents of a grouped collection by their group, in the collection's order. */
  readonly #groups = new Map<unknown, Collection>();

  /** The database owns a written document from then on. */
  apply(write: Write): WriteOutcome {
    if ('insert' in write) return this.#insert(write.insert, write.document as Document);
    if ('remove' in write) {
      for (const document of this.#matching(write.remove, write.filter)) {
        this.#drop(write.remove, document);
      }
      return OK;
    }
    const found = this.#matching(write.update, write.filter);
    if (found.length === 0) return write.upsert ? this.#upsert(write) : OK;
    for (const document of write.many ? found : found.slice(0, 1)) {
      const after = changed(document, write.change, { inserted: false }) as Document;
      if (after._id !== document._id) throw new TypeError('an id that changes');
      const taken = this.#takenBy(write.update, after);
      if (taken) return taken;
      this.#forgetKeys(write.update, document);
      this.#put(write.update, after);
    }
    return OK;
  }

  find<T extends Stored = Document>(
    collection: string,
    filter: Filter,
    options: FindOptions = {},
  ): T[] {
    const { skip = 0, limit = 0 } = options;
    const found = sorted(this.#matching(collection, filter), options.sort);
    const page = found.slice(skip, limit === 0 ? found.length : skip + limit);
    return page.map((document) => shown(document, options) as Stored as T);
  }

  findOne<T extends Stored = Document>(
    collection: string,
    filter: Filter,
    options: FindOptions = {},
  ): T | null {
    return this.find<T>(collection, filter, { ...options, limit: 1 })[0] ?? null;
  }

  byId<T extends Stored = Document>(collection: string, id: string): T | null {
    return (this.#of(collection).get(id) as Stored as T | undefined) ?? null;
  }

  count(collection: string, filter: Filter): number {
    return this.#matching(collection, filter).length;
  }

  /** Everything in a collection, uncopied: for reading only. */
  all<T extends Stored = Document>(collection: string): readonly T[] {
    return [...this.#of(collection).values()] as unknown as readonly T[];
  }

  /** Grows with every document that is stored or removed. */
  revision(collection: string): number {
    return this.#revisions.get(collection) ?? 0;
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
    const matches = matching(filter);
    const { _id: id } = filter;
    if (typeof id === 'string') {
      const found = all.get(id);
      return found && matches(found) ? [found] : [];
    }
    const found: Document[] = [];
    const candidates = this.#groupOf(collection, filter) ?? all;
    for (const document of candidates.values()) if (matches(document)) found.push(document);
    return found;
  }

  /** The only documents that a filter by one group can match; null for any other filter. */
  #groupOf(collection: string, filter: Filter): Collection | null {
    const group = filter[GROUPED[collection] ?? ''];
    return typeof group === 'string' ? (this.#groups.get(group) ?? new Map()) : null;
  }

  #insert(collection: string, document: Document): WriteOutcome {
    if (this.#of(collection).has(document._id)) return { ok: false, duplicate: '_id_' };
    const taken = this.#takenBy(collection, document);
    if (taken) return taken;
    this.#put(collection, Object.assign({ _id: document._id }, document));
    return OK;
  }

  /** Another document has the place that this one would take. */
  #takenBy(collection: string, document: Document): WriteOutcome | null {
    const known = this.#keysOf(collection);
    const holders = keysIn(collection, document).map((key) => known.get(key) ?? document._id);
    if (holders.every((holder) => holder === document._id)) return null;
    return { ok: false, duplicate: UNIQUE[collection]?.name ?? '' };
  }

  #upsert(write: Extract<Write, { update: string }>): WriteOutcome {
    let known: Fields = {};
    for (const [path, wanted] of Object.entries(write.filter)) {
      const operators =
        isFields(wanted) && Object.keys(wanted).some((name) => name.startsWith('$'));
      if (!operators) known = changed(known, { $set: { [path]: wanted } }, { inserted: true });
    }
    const made = changed(known, write.change, { inserted: true });
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
    this.#intoGroup(collection, document);
    this.#of(collection).set(document._id, frozen(document));
    this.#revisions.set(collection, this.revision(collection) + 1);
    const known = this.#keysOf(collection);
    for (const key of keysIn(collection, document)) known.set(key, document._id);
  }

  #intoGroup(collection: string, document: Document): void {
    const path = GROUPED[collection];
    if (path === undefined) return;
    const before = this.#of(collection).get(document._id)?.[path];
    if (before !== document[path]) this.#groups.get(before)?.delete(document._id);
    const group = this.#groups.get(document[path]);
    if (group) group.set(document._id, document);
    else this.#groups.set(document[path], new Map([[document._id, document]]));
  }

  #drop(collection: string, document: Document): void {
    this.#of(collection).delete(document._id);
    this.#groups.get(document[GROUPED[collection] ?? ''])?.delete(document._id);
    this.#revisions.set(collection, this.revision(collection) + 1);
    this.#forgetKeys(collection, document);
  }

  #forgetKeys(collection: string, document: Document): void {
    const known = this.#keysOf(collection);
    for (const key of keysIn(collection, document)) known.delete(key);
  }
}
