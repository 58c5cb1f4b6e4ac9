/**
 * Index of one organization's contacts in memory, current at the moment of each search.
 *
 * 1. Changes are found by the dirty fields and the batches of the counters
 *    (`actors/counters/counter-document.ts`). A change is always in one of the two.
 * 2. Every search begins with a poll that began after its call: it finds every contact that was
 *    answered before.
 * 3. An index is rebuilt if its size differs from the counter.
 */
import type { Clock } from '../../shared/ports/clock.ts';
import type { Document, Store } from '../../shared/ports/store.ts';
import type { ContactDocument } from '../contact/documents.ts';
import { OUTSIDE } from '../counters/counted-collection.ts';
import { COUNTED_CONTACTS } from '../counters/counted-collections.ts';
import {
  BATCHES,
  type BatchDocument,
  batchId,
  type CounterDocument,
  counterId,
  readCounter,
} from '../counters/counter-document.ts';
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
/** If a rebuild does not correct the size, an immediate second one does not either. */
const REBUILD_AGAIN_MS = 60_000;
const PROJECTION = { search: 1, updatedAt: 1 } as const;
export const CONTACTS_INDEX = { orgId: 1, updatedAt: -1, _id: -1, search: 1 } as const;

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
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #orgId: string;
  readonly #options: IndexOptions;
  #index: SubstringIndex;
  /** Batches up to this version of the counter are included; null before the first read. */
  #version: number | null = null;
  #refreshedAt = 0;
  #readAt = 0;
  #refreshing: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #reading: Rebuild | null = null;
  /** Epoch milliseconds: an organization that is too large is not read before. */
  #tooLargeUntil = 0;

  constructor(
    { store, clock }: { readonly store: Store; readonly clock: Clock },
    orgId: string,
    options: IndexOptions,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#orgId = orgId;
    this.#options = options;
    this.#index = new SubstringIndex(options.hitLists);
  }

  /** Bytes of the index, and of a rebuild under way. */
  get bytes(): number {
    return this.#index.bytes + (this.#reading?.index.bytes ?? 0);
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

  get substringIndex(): SubstringIndex {
    return this.#index;
  }

  /** One refresh serves all calls that arrive while the one before it is under way. */
  refresh(): Promise<void> {
    if (!this.#refreshing) return this.#begin();
    this.#next ??= this.#refreshing.then(
      () => this.#begin(),
      () => this.#begin(),
    );
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
    const expected = countedBy(counter);
    this.#reading = { startedAt: this.#now(), index, expected };
    await this.#readInto(index).finally(() => {
      this.#reading = null;
    });
    this.#index = index;
    this.#version = counter.version;
    this.#refreshedAt = this.#now();
    this.#readAt = this.#now();
    await this.#catchUp();
  }

  /** Newest first; each page begins after the last contact, by the index alone. */
  async #readInto(index: SubstringIndex): Promise<void> {
    for (let last: IndexedContact | undefined; ; ) {
      const equals = last
        ? await this.#readPage({ updatedAt: last.updatedAt, _id: { $lt: last._id } })
        : [];
      const some =
        equals.length > 0
          ? equals
          : await this.#readPage(last ? { updatedAt: { $lt: last.updatedAt } } : {});
      await this.#put(index, some);
      if (index.bytes > this.#options.maxBytes) {
        this.#tooLargeUntil = this.#now() + TOO_LARGE_MS;
        throw new TooLarge(this.#orgId);
      }
      last = some.at(-1);
      if (!last) return;
    }
  }

  #readPage(beyond: Readonly<Record<string, unknown>>): Promise<IndexedContact[]> {
    return this.#store.find<IndexedContact>(
      'contacts',
      { orgId: this.#orgId, ...beyond },
      {
        sort: { updatedAt: -1, _id: -1 },
        limit: READ_AT_ONCE,
        project: PROJECTION,
        index: CONTACTS_INDEX,
      },
    );
  }

  async #catchUp(): Promise<void> {
    const refreshedAt = this.#now();
    const dirty = await this.#store.find<IndexedContact>(
      'contacts',
      { recount: this.#orgId },
      { project: PROJECTION, limit: DIRTY_MAX + 1 },
    );
    if (dirty.length > DIRTY_MAX) throw new NotCounted(counterId(COUNTED_CONTACTS, this.#orgId));
    const counter = await this.#counter();
    const changed = await this.#changedSince(counter);
    await this.#put(this.#index, [...dirty, ...changed]);
    const isQuiet = dirty.length === 0 && counter.version === this.#version;
    this.#version = counter.version;
    this.#refreshedAt = refreshedAt;
    if (this.#index.needsCompaction || (isQuiet && this.#hasDrifted(counter))) this.#version = null;
  }

  async #put(index: SubstringIndex, contacts: readonly IndexedContact[]): Promise<void> {
    const slice = startTimeSlice(this.#clock);
    for (const contact of contacts) {
      index.put(textOf(contact));
      if (slice.isOver()) await slice.next();
    }
  }

  #now(): number {
    return this.#clock.now();
  }

  /** Whether the counter has another number although no batch is under way. */
  #hasDrifted(counter: CounterDocument): boolean {
    if (counter.folding.length > 0 || this.#now() - this.#readAt < REBUILD_AGAIN_MS) return false;
    return countedBy(counter) !== this.#index.size;
  }

  /** The contacts of batches since the last refresh, in their present state. */
  async #changedSince(counter: CounterDocument): Promise<readonly IndexedContact[]> {
    if (counter.version <= (this.#version ?? 0)) return [];
    const batches = await this.#store.find<BatchDocument>(BATCHES, {
      _id: {
        $gt: batchId(counter._id, this.#version ?? 0),
        $lte: batchId(counter._id, counter.version),
      },
    });
    const ids = new Set(batches.flatMap((batch) => batch.ids));
    if (ids.size === 0) return [];
    return this.#store.find<IndexedContact>(
      'contacts',
      { _id: { $in: [...ids] } },
      { project: PROJECTION },
    );
  }

  async #counter(): Promise<CounterDocument> {
    const counter = await readCounter(this.#store, COUNTED_CONTACTS, this.#orgId);
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

function countedBy({ counts }: CounterDocument): number {
  return counts.reduce((sum, { of, n }) => (of === OUTSIDE ? sum : sum + n), 0);
}

function textOf({ _id, search, updatedAt }: IndexedContact) {
  return { id: _id, text: search ?? '', updatedAt };
}
