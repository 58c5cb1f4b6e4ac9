/**
 * Grouped reads by id: while one query of a collection is in progress the next group gathers. Each
 * caller gets its own document. So 2,000 first sends read 2,000 contacts in a handful of queries.
 */
import type { Document as BsonDocument, Db } from 'mongodb';
import type { Document } from '../../../shared/ports/store.ts';
import { withinDeadline } from './deadline.ts';

const GROUP_MAX_IDS = 500;

interface Waiting {
  readonly id: string;
  readonly resolve: (document: Document | null) => void;
  readonly reject: (error: Error) => void;
}

class CollectionReads {
  readonly #db: Db;
  readonly #collection: string;
  #waiting: Waiting[] = [];
  #reading = false;

  constructor(db: Db, collection: string) {
    this.#db = db;
    this.#collection = collection;
  }

  byId(id: string): Promise<Document | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Document | null>();
    this.#waiting.push({ id, resolve, reject });
    if (!this.#reading) {
      this.#reading = true;
      // The turns of this tick still have reads to add.
      setImmediate(() => void this.#drain());
    }
    return promise;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#read(this.#waiting.splice(0, GROUP_MAX_IDS));
    this.#reading = false;
  }

  async #read(group: readonly Waiting[]): Promise<void> {
    try {
      const [only] = group;
      const collection = this.#db.collection<BsonDocument & { _id: string }>(this.#collection);
      // A single id uses the server's express path; a list of ids has to be planned.
      const found = await withinDeadline(
        group.length === 1 && only
          ? collection.findOne({ _id: only.id }).then((one) => [one])
          : collection.find({ _id: { $in: group.map(({ id }) => id) } }).toArray(),
        `read ${this.#collection}`,
      );
      const byId = new Map(found.flatMap((each) => (each ? [[each._id, each as Document]] : [])));
      for (const { id, resolve } of group) resolve(byId.get(id) ?? null);
    } catch (cause) {
      const error = new Error(`could not read ${this.#collection}`, { cause });
      for (const { reject } of group) reject(error);
    }
  }
}

export class GroupRead {
  readonly #db: Db;
  readonly #collections = new Map<string, CollectionReads>();

  constructor(db: Db) {
    this.#db = db;
  }

  byId(collection: string, id: string): Promise<Document | null> {
    let reads = this.#collections.get(collection);
    if (!reads) {
      reads = new CollectionReads(this.#db, collection);
      this.#collections.set(collection, reads);
    }
    return reads.byId(id);
  }
}
