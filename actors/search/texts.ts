/**
 * The texts of an organization's contacts, searched for a substring: which hold it, newest first,
 * and how many they are. About 150 bytes a contact, beside the heap.
 *
 * 1. A text never changes in its place: a new one gets a new place, and the old one dies. So what a
 *    frequent search has found stays true, and the next one only looks at the places since.
 * 2. A search works in slices, one search of an organization at a time. Its answer is true at the
 *    moment of its end, whatever has changed since it began.
 */
import { asRaw, Bytes } from './bytes.ts';
import type { Finding, Findings } from './findings.ts';
import { between, Newest, type Order } from './newest.ts';
import type { Pace } from './pace.ts';
import { Places } from './places.ts';
import { SEGMENT_BITS, SEGMENT_TEXTS, Segment } from './segment.ts';

/** Searches with as many hits are remembered. */
const FREQUENT_HITS = 200;
const DEAD = -1;
/** The first so many are found by a heap. */
const HEAP_MAX = 2_000;
/** Hits between two looks at the clock. */
const STEP = 4_096;
/** A page that is overtaken by changes is chosen anew; then once without a pause. */
const PACED_TRIES = 2;

export interface ContactText {
  readonly id: string;
  readonly text: string;
  readonly updatedAt: number;
}

export interface Wanted {
  readonly skip: number;
  readonly limit: number;
}

export interface FoundPage {
  readonly ids: readonly string[];
  readonly total: number;
}

export class Texts {
  readonly #segments: Segment[] = [];
  readonly #ids: Bytes[] = [];
  readonly #times: Float64Array[] = [];
  readonly #places = new Places((place) => this.#id(place));
  readonly #findings: Findings;
  readonly #name: string;
  #count = 0;
  #live = 0;
  /** Grows with every change. */
  #changes = 0;
  #lastSearch: Promise<unknown> = Promise.resolve();

  constructor(findings: Findings) {
    this.#findings = findings;
    this.#name = findings.name();
  }

  /** How many contacts there are. */
  get size(): number {
    return this.#live;
  }

  /** Of all that is kept for them. */
  get bytes(): number {
    let bytes = this.#places.bytes;
    for (const each of [...this.#segments, ...this.#ids]) bytes += each.bytes;
    return bytes + this.#times.length * SEGMENT_TEXTS * Float64Array.BYTES_PER_ELEMENT;
  }

  /** Too many dead ones: it is time to begin anew. */
  get worn(): boolean {
    return this.#count > SEGMENT_TEXTS && this.#count > 2 * this.#live;
  }

  put({ id, text, updatedAt }: ContactText): void {
    this.#changes += 1;
    const known = this.#places.find(id);
    if (known !== null && this.#text(known) === text) {
      this.#setTime(known, updatedAt);
      return;
    }
    if (known === null) this.#live++;
    else this.#setTime(known, DEAD);
    this.#push(id, text);
    this.#setTime(this.#count - 1, updatedAt);
    this.#places.set(id, this.#count - 1);
  }

  /** The ids of one page, newest first, and the number of all that match. */
  search(text: string, wanted: Wanted, pace: Pace): Promise<FoundPage> {
    const searched = this.#lastSearch.then(() => this.#search(asRaw(text), wanted, pace));
    this.#lastSearch = searched.catch(() => undefined);
    return searched;
  }

  async #search(needle: string, wanted: Wanted, pace: Pace): Promise<FoundPage> {
    const key = `${this.#name} ${needle}`;
    const finding = this.#findings.take(key);
    for (let tries = 1; ; tries++) {
      await this.#look(needle, finding, pace);
      const page = await this.#choose(finding, wanted, tries > PACED_TRIES ? null : pace);
      if (!page) continue;
      if (finding.count >= FREQUENT_HITS) this.#findings.keep(key, finding);
      return page;
    }
  }

  /** As the list has them: by last update, then by id, both downwards. */
  readonly #newestFirst: Order = {
    key: (place) => this.#time(place),
    isBefore: (a, b) => this.#id(a) > this.#id(b),
  };

  /** Looks at all places that there are at its end. */
  async #look(needle: string, finding: Finding, pace: Pace): Promise<void> {
    while (finding.upTo < this.#count) {
      const at = finding.upTo >> SEGMENT_BITS;
      const origin = at * SEGMENT_TEXTS;
      const from = finding.upTo - origin;
      this.#segments[at]?.find(needle, from, (index) => finding.push(origin + index));
      finding.upTo = Math.min(this.#count, origin + SEGMENT_TEXTS);
      if (finding.upTo < this.#count && pace.due()) await pace.pause();
    }
  }

  /** The page of what was found; null where something has changed in a pause. */
  async #choose(finding: Finding, wanted: Wanted, pace: Pace | null): Promise<FoundPage | null> {
    const { skip, limit } = wanted;
    const changes = this.#changes;
    const isDeep = skip + limit > HEAP_MAX;
    const newest = new Newest(isDeep ? 0 : skip + limit, this.#newestFirst);
    const keys = new Float64Array(isDeep ? finding.count : 0);
    let total = 0;
    for (let index = 0; index < finding.count; index++) {
      const place = finding.at(index);
      const time = this.#time(place);
      if (time !== DEAD) {
        if (isDeep) keys[total] = time;
        else newest.offer(place);
        total += 1;
      }
      if (index % STEP === STEP - 1 && pace?.due()) {
        await pace.pause();
        if (this.#changes !== changes) return null;
      }
    }
    const sought = { keys: keys.subarray(0, total), from: skip, to: skip + limit };
    const page = isDeep ? between(finding, sought, this.#newestFirst) : newest.sorted().slice(skip);
    return { ids: page.map((place) => this.#id(place)), total };
  }

  #push(id: string, text: string): void {
    if (this.#count % SEGMENT_TEXTS === 0) {
      this.#ids.at(-1)?.close();
      this.#segments.push(new Segment());
      this.#ids.push(new Bytes(SEGMENT_TEXTS));
      this.#times.push(new Float64Array(SEGMENT_TEXTS));
    }
    this.#segments.at(-1)?.push(text);
    this.#ids.at(-1)?.push(id);
    this.#count++;
  }

  #id(place: number): string {
    return this.#ids[place >> SEGMENT_BITS]?.text(place & (SEGMENT_TEXTS - 1)) ?? '';
  }

  #text(place: number): string {
    return this.#segments[place >> SEGMENT_BITS]?.text(place & (SEGMENT_TEXTS - 1)) ?? '';
  }

  #time(place: number): number {
    return this.#times[place >> SEGMENT_BITS]?.[place & (SEGMENT_TEXTS - 1)] ?? DEAD;
  }

  #setTime(place: number, time: number): void {
    const times = this.#times[place >> SEGMENT_BITS];
    if (times) times[place & (SEGMENT_TEXTS - 1)] = time;
  }
}
