/**
 * Substring index of an organization's contacts: it finds the matching contacts, newest first, and
 * their number. It needs about 150 bytes per contact, outside of the heap.
 *
 * 1. A text never changes at its ordinal: a new text gets a new ordinal, and the old one is dead.
 *    So the hits of a frequent search stay valid, and the next search scans only later ordinals.
 * 2. A search works in slices, one search of an organization at a time. Its answer is true at the
 *    moment of its end, whatever has changed since it began.
 */
import { fnv1a } from '../../shared/text/fnv1a.ts';
import type { HitList, HitListCache } from './hit-list-cache.ts';
import { asRaw, SEGMENT_BITS, SEGMENT_TEXTS, Segment, StringArena } from './segment.ts';
import type { TimeSlice } from './time-slice.ts';
import { type Order, selectRange, TopK } from './top-k.ts';

/** Searches with as many hits are cached. */
const FREQUENT_HITS = 200;
const DEAD = -1;
/** A heap selects pages up to this depth. */
const HEAP_MAX = 2_000;
/** Hits between two checks of the time slice. */
const CHECK_EVERY_HITS = 4_096;
/** A change during a pause restarts the selection. After these tries it runs without a pause. */
const SLICED_TRIES = 2;
const FIRST_CELLS = 1_024;
const NONE = -1;

export interface ContactText {
  readonly id: string;
  readonly text: string;
  readonly updatedAt: number;
}

export interface PageRange {
  readonly skip: number;
  readonly limit: number;
}

export interface FoundPage {
  readonly ids: readonly string[];
  readonly total: number;
}

export class SubstringIndex {
  readonly #segments: Segment[] = [];
  readonly #ids: StringArena[] = [];
  readonly #times: Float64Array[] = [];
  readonly #idTable = new IdTable((ordinal) => this.#id(ordinal));
  readonly #hitLists: HitListCache;
  readonly #namespace: string;
  #count = 0;
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
    let bytes = this.#idTable.bytes;
    for (const each of [...this.#segments, ...this.#ids]) bytes += each.bytes;
    return bytes + this.#times.length * SEGMENT_TEXTS * Float64Array.BYTES_PER_ELEMENT;
  }

  /** More than half of the ordinals are dead: the index should be rebuilt. */
  get needsCompaction(): boolean {
    return this.#count > SEGMENT_TEXTS && this.#count > 2 * this.size;
  }

  put({ id, text, updatedAt }: ContactText): void {
    this.#changes += 1;
    const known = this.#idTable.find(id);
    if (known !== null && this.#text(known) === text) return this.#setTime(known, updatedAt);
    if (known === null) this.size++;
    else this.#setTime(known, DEAD);
    this.#push(id, text);
    this.#setTime(this.#count - 1, updatedAt);
    this.#idTable.set(id, this.#count - 1);
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
    key: (ordinal) => this.#time(ordinal),
    isBefore: (a, b) => this.#id(a) > this.#id(b),
  };

  /** Scans all ordinals, including those added meanwhile. */
  async #scan(needle: string, hitList: HitList, slice: TimeSlice): Promise<void> {
    while (hitList.scannedTo < this.#count) {
      const at = hitList.scannedTo >> SEGMENT_BITS;
      const origin = at * SEGMENT_TEXTS;
      const from = hitList.scannedTo - origin;
      this.#segments[at]?.find(needle, from, (index) => hitList.push(origin + index));
      hitList.scannedTo = Math.min(this.#count, origin + SEGMENT_TEXTS);
      if (hitList.scannedTo < this.#count && slice.isOver()) await slice.next();
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
      const time = this.#time(ordinal);
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
    return { ids: page.map((ordinal) => this.#id(ordinal)), total };
  }

  #push(id: string, text: string): void {
    if (this.#count % SEGMENT_TEXTS === 0) {
      this.#ids.at(-1)?.trim();
      this.#segments.push(new Segment());
      this.#ids.push(new StringArena(SEGMENT_TEXTS));
      this.#times.push(new Float64Array(SEGMENT_TEXTS));
    }
    this.#segments.at(-1)?.push(text);
    this.#ids.at(-1)?.push(id);
    this.#count++;
  }

  #id(ordinal: number): string {
    return this.#ids[ordinal >> SEGMENT_BITS]?.text(ordinal & (SEGMENT_TEXTS - 1)) ?? '';
  }

  #text(ordinal: number): string {
    return this.#segments[ordinal >> SEGMENT_BITS]?.text(ordinal & (SEGMENT_TEXTS - 1)) ?? '';
  }

  #time(ordinal: number): number {
    return this.#times[ordinal >> SEGMENT_BITS]?.[ordinal & (SEGMENT_TEXTS - 1)] ?? DEAD;
  }

  #setTime(ordinal: number, time: number): void {
    const times = this.#times[ordinal >> SEGMENT_BITS];
    if (times) times[ordinal & (SEGMENT_TEXTS - 1)] = time;
  }
}

/** Hash table from ids to ordinals, of numbers only: a map of strings is ten times as large. */
class IdTable {
  readonly #idOf: (ordinal: number) => string;
  #table = new Int32Array(FIRST_CELLS).fill(NONE);
  #used = 0;

  constructor(idOf: (ordinal: number) => string) {
    this.#idOf = idOf;
  }

  get bytes(): number {
    return this.#table.byteLength;
  }

  find(id: string): number | null {
    const ordinal = this.#table[this.#cellOf(id)] ?? NONE;
    return ordinal === NONE ? null : ordinal;
  }

  set(id: string, ordinal: number): void {
    const cell = this.#cellOf(id);
    if (this.#table[cell] === NONE) this.#used++;
    this.#table[cell] = ordinal;
    if (2 * this.#used > this.#table.length) this.#grow();
  }

  /** The id's own cell, or the free one for it. */
  #cellOf(id: string): number {
    const mask = this.#table.length - 1;
    let cell = fnv1a(id) & mask;
    for (;;) {
      const ordinal = this.#table[cell] ?? NONE;
      if (ordinal === NONE || this.#idOf(ordinal) === id) return cell;
      cell = (cell + 1) & mask;
    }
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Int32Array(2 * before.length).fill(NONE);
    const mask = this.#table.length - 1;
    for (const ordinal of before) {
      if (ordinal === NONE) continue;
      let cell = fnv1a(this.#idOf(ordinal)) & mask;
      while (this.#table[cell] !== NONE) cell = (cell + 1) & mask;
      this.#table[cell] = ordinal;
    }
  }
}
