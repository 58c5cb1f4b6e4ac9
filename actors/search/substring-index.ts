/**
 * Substring index of an organization's contacts: it finds the matching contacts, newest first, and
 * their number. It needs about 150 bytes per contact, outside of the heap.
 *
 * 1. A text never changes at its ordinal: a new text gets a new ordinal, and the old one is dead.
 *    So the hits of a frequent search stay valid, and the next search scans only later ordinals.
 * 2. A search works in slices, one search of an organization at a time. Its answer is true at the
 *    moment of its end, whatever has changed since it began.
 */
import type { HitList, HitListCache } from './hit-list-cache.ts';
import { asRaw, SEGMENT_TEXTS } from './segment.ts';
import { type ContactText, DEAD, TextTable } from './text-table.ts';
import type { TimeSlice } from './time-slice.ts';
import { type Order, selectRange, TopK } from './top-k.ts';

/** Searches with as many hits are cached. */
const FREQUENT_HITS = 200;
/** A heap selects pages up to this depth. */
const HEAP_MAX = 2_000;
/** Hits between two checks of the time slice. */
const CHECK_EVERY_HITS = 4_096;
/** A change during a pause restarts the selection. After these tries it runs without a pause. */
const SLICED_TRIES = 2;

export interface PageRange {
  readonly skip: number;
  readonly limit: number;
}

export interface FoundPage {
  readonly ids: readonly string[];
  readonly total: number;
}

export class SubstringIndex {
  readonly #texts = new TextTable();
  readonly #hitLists: HitListCache;
  readonly #namespace: string;
  /** The number of contacts. */
  size = 0;
  /** Rises with every change. */
  #changes = 0;
  #lastSearch: Promise<unknown> = Promise.resolve();

  constructor(hitLists: HitListCache) {
    this.#hitLists = hitLists;
    this.#namespace = hitLists.nextNamespace();
  }

  /** Bytes of everything that is kept for the contacts. */
  get bytes(): number {
    return this.#texts.bytes;
  }

  /** More than half of the ordinals are dead: the index should be rebuilt. */
  get needsCompaction(): boolean {
    const { count } = this.#texts;
    return count > SEGMENT_TEXTS && count > 2 * this.size;
  }

  put(contact: ContactText): void {
    this.#changes += 1;
    const { id, text, updatedAt } = contact;
    const texts = this.#texts;
    const known = texts.find(id);
    if (known !== null && texts.text(known) === text) return texts.setTime(known, updatedAt);
    if (known === null) this.size++;
    else texts.setTime(known, DEAD);
    texts.push(contact);
  }

  /** The ids of one page, newest first, and the number of all that match. */
  search(text: string, range: PageRange, slice: TimeSlice): Promise<FoundPage> {
    const searched = this.#lastSearch.then(() => this.#search(asRaw(text), range, slice));
    this.#lastSearch = searched.catch(() => undefined);
    return searched;
  }

  async #search(needle: string, range: PageRange, slice: TimeSlice): Promise<FoundPage> {
    const key = `${this.#namespace} ${needle}`;
    const hitList = this.#hitLists.checkOut(key);
    for (let tries = 1; ; tries++) {
      await this.#scan(needle, hitList, slice);
      const page = await this.#selectPage(hitList, range, tries > SLICED_TRIES ? null : slice);
      if (!page) continue;
      if (hitList.count >= FREQUENT_HITS) this.#hitLists.checkIn(key, hitList);
      return page;
    }
  }

  /** The order of lists: by last update, then by id, both descending. */
  readonly #newestFirst: Order = {
    key: (ordinal) => this.#texts.time(ordinal),
    isBefore: (a, b) => this.#texts.id(a) > this.#texts.id(b),
  };

  /** Scans all ordinals, including those added meanwhile. */
  async #scan(needle: string, hitList: HitList, slice: TimeSlice): Promise<void> {
    while (hitList.scannedTo < this.#texts.count) {
      hitList.scannedTo = this.#texts.scan(needle, hitList.scannedTo, (hit) => hitList.push(hit));
      if (hitList.scannedTo < this.#texts.count && slice.isOver()) await slice.next();
    }
  }

  /** The page of the hits; null when contacts changed during a pause. */
  async #selectPage(hitList: HitList, { skip, limit }: PageRange, slice: TimeSlice | null) {
    const changes = this.#changes;
    const isDeep = skip + limit > HEAP_MAX;
    const topK = new TopK(isDeep ? 0 : skip + limit, this.#newestFirst);
    const keys = new Float64Array(isDeep ? hitList.count : 0);
    let total = 0;
    for (let index = 0; index < hitList.count; index++) {
      const ordinal = hitList.at(index);
      const time = this.#texts.time(ordinal);
      if (time !== DEAD) {
        if (isDeep) keys[total] = time;
        else topK.offer(ordinal);
        total += 1;
      }
      if (index % CHECK_EVERY_HITS === CHECK_EVERY_HITS - 1 && slice?.isOver()) {
        await slice.next();
        if (this.#changes !== changes) return null;
      }
    }
    const sought = { keys: keys.subarray(0, total), from: skip, to: skip + limit };
    const page = isDeep
      ? selectRange(hitList, sought, this.#newestFirst)
      : topK.sorted().slice(skip);
    return { ids: page.map((ordinal) => this.#texts.id(ordinal)), total };
  }
}
