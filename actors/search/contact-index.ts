/**
 * Index of one organization's contacts in memory, current at the moment of each search.
 *
 * 1. Changes are found by the dirty fields and the batches of the counters
 *    (`actors/counters/counter-document.ts`). A change is always in one of the two.
 * 2. Every search begins with a poll that began after its call: it finds every contact that was
 *    answered before.
 * 3. An index is rebuilt after a recount: contacts may have changed past the actors.
 */
import type { Document } from '../../shared/ports/store.ts';
import { COUNTED_CONTACTS } from '../counters/counted-collections.ts';
import { BATCHES, batchId, counterId, readCounter, sizeOf } from '../counters/counter-document.ts';
import type { Environment } from '../environment.ts';
import type { ContactDocument } from '../model/contact.ts';
import type { CounterDocument } from '../model/counter.ts';
import type { HitListCache } from './hit-list-cache.ts';
import { SubstringIndex } from './substring-index.ts';
import { startTimeSlice } from './time-slice.ts';

/** Time before the next try to read an organization that is too large. */
const TOO_LARGE_MS = 10 * 60_000;

const READ_AT_ONCE = 2_000;
/** With more dirty contacts the store searches, until they are counted. */
const DIRTY_MAX = 20_000;
/** Half of the hour for which batches are kept. */
const REFRESH_VALID_MS = 30 * 60_000;
const PROJECTION = { search: 1, updatedAt: 1 } as const;
export const CONTACTS_INDEX = { orgId: 1, updatedAt: -1, _id: -1, search: 1 } as const;
const NEWEST_FIRST = {
  sort: { updatedAt: -1, _id: -1 },
  project: PROJECTION,
  index: CONTACTS_INDEX,
} as const;

type IndexEnvironment = Pick<Environment, 'store' | 'clock'>;

export interface IndexOptions {
  readonly hitLists: HitListCache;
  /** For one organization's texts: the store searches a larger one. */
  readonly maxBytes: number;
}

/** A read of all contacts. */
interface Rebuild {
  readonly startedAt: number;
  readonly index: SubstringIndex;
  /** The number of contacts, by the counter. */
  readonly expected: number;
}

type IndexedContact = Document & Pick<ContactDocument, 'search' | 'updatedAt'>;

export class ContactIndex {
  readonly #environment: IndexEnvironment;
  readonly #orgId: string;
  readonly #options: IndexOptions;
  substringIndex: SubstringIndex;
  /** Batches up to this version of the counter are included; null before the first read. */
  #version: number | null = null;
  /** The recount before the last read. */
  #recounted = 0;
  #refreshedAt = 0;
  #refreshing: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #reading: Rebuild | null = null;
  /** Epoch milliseconds: an organization that is too large is not read before. */
  #tooLargeUntil = 0;

  constructor(environment: IndexEnvironment, orgId: string, options: IndexOptions) {
    this.#environment = environment;
    this.#orgId = orgId;
    this.#options = options;
    this.substringIndex = new SubstringIndex(options.hitLists);
  }

  /** Bytes of the index, and of a rebuild under way. */
  get bytes(): number {
    return this.substringIndex.bytes + (this.#reading?.index.bytes ?? 0);
  }

  /** Whether a search need not wait for a read of all contacts. */
  get isRead(): boolean {
    return this.#version !== null && this.#now() - this.#refreshedAt < REFRESH_VALID_MS;
  }

  /** Milliseconds that the rebuild under way will still need, by its pace so far. */
  get readingLeftMs(): number {
    if (!this.#reading) return 0;
    const { startedAt, index, expected } = this.#reading;
    const left = Math.max(0, expected - index.size);
    return ((this.#now() - startedAt) * left) / index.size;
  }

  /** One refresh serves all calls that arrive while the one before it is under way. */
  refresh(): Promise<void> {
    if (!this.#refreshing) return this.#begin();
    const begin = () => this.#begin();
    this.#next ??= this.#refreshing.then(begin, begin);
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = null;
    const refreshing = (this.isRead ? this.#catchUp() : this.#readAll()).finally(() => {
      if (this.#refreshing === refreshing) this.#refreshing = null;
    });
    this.#refreshing = refreshing;
    return refreshing;
  }

  async #readAll(): Promise<void> {
    this.#version = null;
    if (this.#now() < this.#tooLargeUntil) throw new TooLarge(this.#orgId);
    const counter = await this.#counter();
    const index = new SubstringIndex(this.#options.hitLists);
    this.#reading = { startedAt: this.#now(), index, expected: sizeOf(counter) };
    await this.#readInto(index).finally(() => {
      this.#reading = null;
    });
    this.substringIndex = index;
    this.#version = counter.version;
    this.#recounted = counter.recounted;
    this.#refreshedAt = this.#now();
    await this.#catchUp();
  }

  /** Newest first; each page begins after the last contact, by the index alone. */
  async #readInto(index: SubstringIndex): Promise<void> {
    let last: IndexedContact | undefined;
    do {
      const some = await (last ? this.#readAfter(last) : this.#readPage({}));
      await this.#put(index, some);
      if (index.bytes > this.#options.maxBytes) {
        this.#tooLargeUntil = this.#now() + TOO_LARGE_MS;
        throw new TooLarge(this.#orgId);
      }
      last = some.at(-1);
    } while (last);
  }

  async #readAfter({ updatedAt, _id }: IndexedContact): Promise<IndexedContact[]> {
    const equals = await this.#readPage({ updatedAt, _id: { $lt: _id } });
    return equals.length > 0 ? equals : this.#readPage({ updatedAt: { $lt: updatedAt } });
  }

  #readPage(beyond: Readonly<Record<string, unknown>>): Promise<IndexedContact[]> {
    const filter = { orgId: this.#orgId, ...beyond };
    const options = { ...NEWEST_FIRST, limit: READ_AT_ONCE };
    return this.#environment.store.find('contacts', filter, options);
  }

  async #catchUp(): Promise<void> {
    const refreshedAt = this.#now();
    const filter = { recount: this.#orgId };
    const options = { project: PROJECTION, limit: DIRTY_MAX + 1 };
    const dirty = await this.#environment.store.find('contacts', filter, options);
    if (dirty.length > DIRTY_MAX) throw new NotCounted(counterId(COUNTED_CONTACTS, this.#orgId));
    const counter = await this.#counter();
    const changed = await this.#changedSince(counter);
    await this.#put(this.substringIndex, [...dirty, ...changed]);
    this.#version = counter.version;
    this.#refreshedAt = refreshedAt;
    if (this.substringIndex.needsCompaction || counter.recounted !== this.#recounted)
      this.#version = null;
  }

  async #put(index: SubstringIndex, contacts: readonly IndexedContact[]): Promise<void> {
    const slice = startTimeSlice(this.#environment.clock);
    for (const { _id: id, search, updatedAt } of contacts) {
      index.put({ id, text: search ?? '', updatedAt });
      if (slice.isOver()) await slice.next();
    }
  }

  #now(): number {
    return this.#environment.clock.now();
  }

  /** The contacts of batches since the last refresh, in their present state. */
  async #changedSince(counter: CounterDocument): Promise<readonly IndexedContact[]> {
    const { _id, version } = counter;
    const before = this.#version ?? 0;
    if (version <= before) return [];
    const since = { _id: { $gt: batchId(_id, before), $lte: batchId(_id, version) } };
    const batches = await this.#environment.store.find(BATCHES, since);
    const ids = new Set(batches.flatMap((batch) => batch.ids));
    if (ids.size === 0) return [];
    const filter = { _id: { $in: [...ids] } };
    return this.#environment.store.find('contacts', filter, {
      project: PROJECTION,
    });
  }

  async #counter(): Promise<CounterDocument> {
    const counter = await readCounter(this.#environment.store, COUNTED_CONTACTS, this.#orgId);
    if (!counter) throw new NotCounted(counterId(COUNTED_CONTACTS, this.#orgId));
    return counter;
  }
}

/** The organization's contacts are not counted yet, or too many of them are dirty. */
export class NotCounted extends Error {
  constructor(counter: string) {
    super(`${counter} is not there yet, or far behind`);
    this.name = 'NotCounted';
  }
}

/** The organization's contacts need more memory than their bound. */
export class TooLarge extends Error {
  constructor(orgId: string) {
    super(`the contacts of ${orgId} are too many to be kept`);
    this.name = 'TooLarge';
  }
}
