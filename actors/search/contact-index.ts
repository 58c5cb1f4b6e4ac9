/**
 * Index of one organization's contacts in memory, current at the moment of each search.
 *
 * 1. Changes are found by the dirty fields and the batches of the counters
 *    (`actors/counters/counter-document.ts`). A change is always in one of the two.
 * 2. Every search begins with a poll that began after its call: it finds every contact that was
 *    answered before.
 * 3. An index is rebuilt after a recount: contacts may have changed past the actors.
 */
import { sizeOf } from '../counters/counter-document.ts';
import type { Environment } from '../environment.ts';
import { SharedRuns } from '../runtime/repeat.ts';
import {
  allContacts,
  contactsOfBatches,
  dirtyContacts,
  type IndexedContact,
  readContactCounter,
} from './contact-reads.ts';
import type { HitListCache } from './hit-list-cache.ts';
import { SubstringIndex } from './substring-index.ts';
import { startTimeSlice, type TimeSlice } from './time-slice.ts';

/** Time before the next try to read an organization that is too large. */
const TOO_LARGE_MS = 10 * 60_000;
/** Half of the hour for which batches are kept. */
const REFRESH_VALID_MS = 30 * 60_000;

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

/** State of the store that the index includes. */
interface Included {
  /** Batches up to this version of the counter. */
  readonly version: number;
  /** The recount before the read of all contacts. */
  readonly recounted: number;
  readonly refreshedAt: number;
}

export class ContactIndex {
  readonly #environment: IndexEnvironment;
  readonly #orgId: string;
  readonly #options: IndexOptions;
  substringIndex: SubstringIndex;
  /** Null: all contacts are to be read. */
  #included: Included | null = null;
  readonly #refreshes = new SharedRuns(() => {
    const since = this.#upToDate;
    return since ? this.#catchUp(since) : this.#readAll();
  });
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
    return this.#upToDate !== null;
  }

  get #upToDate(): Included | null {
    const since = this.#now() - (this.#included?.refreshedAt ?? 0);
    return since < REFRESH_VALID_MS ? this.#included : null;
  }

  /** Milliseconds that the rebuild under way will still need, by its pace so far. */
  get readingLeftMs(): number {
    if (!this.#reading) return 0;
    const { startedAt, index, expected } = this.#reading;
    const left = Math.max(0, expected - index.size);
    return ((this.#now() - startedAt) * left) / index.size;
  }

  refresh(): Promise<void> {
    return this.#refreshes.request();
  }

  async #readAll(): Promise<void> {
    this.#included = null;
    if (this.#now() < this.#tooLargeUntil) throw new TooLarge(this.#orgId);
    const counter = await readContactCounter(this.#environment.store, this.#orgId);
    const index = new SubstringIndex(this.#options.hitLists);
    this.#reading = { startedAt: this.#now(), index, expected: sizeOf(counter) };
    await this.#readInto(index).finally(() => {
      this.#reading = null;
    });
    this.substringIndex = index;
    const { version, recounted } = counter;
    this.#included = { version, recounted, refreshedAt: this.#now() };
    await this.#catchUp(this.#included);
  }

  async #readInto(index: SubstringIndex): Promise<void> {
    for await (const page of allContacts(this.#environment.store, this.#orgId)) {
      await putAll(index, page, startTimeSlice(this.#environment.clock));
      if (index.bytes <= this.#options.maxBytes) continue;
      this.#tooLargeUntil = this.#now() + TOO_LARGE_MS;
      throw new TooLarge(this.#orgId);
    }
  }

  /** Includes what has changed since. */
  async #catchUp({ version, recounted }: Included): Promise<void> {
    const { store, clock } = this.#environment;
    const refreshedAt = this.#now();
    const dirty = await dirtyContacts(store, this.#orgId);
    const counter = await readContactCounter(store, this.#orgId);
    const changed = await contactsOfBatches(store, counter, version);
    await putAll(this.substringIndex, [...dirty, ...changed], startTimeSlice(clock));
    const mustRead = this.substringIndex.needsCompaction || counter.recounted !== recounted;
    this.#included = mustRead ? null : { version: counter.version, recounted, refreshedAt };
  }

  #now(): number {
    return this.#environment.clock.now();
  }
}

async function putAll(
  index: SubstringIndex,
  contacts: readonly IndexedContact[],
  slice: TimeSlice,
): Promise<void> {
  for (const { _id: id, search, updatedAt } of contacts) {
    index.put({ id, text: search ?? '', updatedAt });
    if (slice.isOver()) await slice.next();
  }
}

/** The organization's contacts need more memory than their bound. */
export class TooLarge extends Error {
  constructor(orgId: string) {
    super(`the contacts of ${orgId} are too many to be kept`);
    this.name = 'TooLarge';
  }
}
