/**
 * The texts of an organization's contacts, searched for a substring: which hold it, newest first,
 * and how many they are. About 150 bytes a contact, beside the heap.
 *
 * 1. A text never changes in its place: a new one gets a new place, and the old one dies. So what a
 *    frequent search has found stays true, and the next one only looks at the places since.
 */
import { asRaw, Bytes } from './bytes.ts';
import { firstOf, type Order } from './newest.ts';
import { Places } from './places.ts';
import { SEGMENT_BITS, SEGMENT_TEXTS, Segment } from './segment.ts';

/** Searches with as many hits are remembered, so many of them. */
const FREQUENT_HITS = 200;
const FREQUENT_MAX = 64;
const DEAD = -1;

export interface ContactText {
  readonly id: string;
  readonly text: string;
  readonly updatedAt: number;
}

interface Found {
  readonly places: number[];
  /** Places from here on have not been looked at. */
  upTo: number;
}

export class Texts {
  readonly #segments: Segment[] = [];
  readonly #ids: Bytes[] = [];
  readonly #times: Float64Array[] = [];
  readonly #places = new Places((place) => this.#id(place));
  readonly #frequent = new Map<string, Found>();
  #count = 0;
  #live = 0;

  /** How many contacts there are. */
  get size(): number {
    return this.#live;
  }

  /** Too many dead ones: it is time to begin anew. */
  get worn(): boolean {
    return this.#count > SEGMENT_TEXTS && this.#count > 2 * this.#live;
  }

  put({ id, text, updatedAt }: ContactText): void {
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
  search(
    text: string,
    { skip, limit }: { readonly skip: number; readonly limit: number },
  ): { readonly ids: readonly string[]; readonly total: number } {
    const found = this.#find(asRaw(text));
    const areAllLive = this.#live === this.#count;
    const live = areAllLive ? found : found.filter((place) => this.#time(place) !== DEAD);
    const page = firstOf(live, Math.min(skip + limit, live.length), this.#newestFirst);
    return { ids: page.slice(skip).map((place) => this.#id(place)), total: live.length };
  }

  /** As the list has them: by last update, then by id, both downwards. */
  readonly #newestFirst: Order = {
    key: (place) => this.#time(place),
    isBefore: (a, b) => this.#id(a) > this.#id(b),
  };

  #find(needle: string): readonly number[] {
    const found: Found = this.#frequent.get(needle) ?? { places: [], upTo: 0 };
    for (let at = Math.floor(found.upTo / SEGMENT_TEXTS); at < this.#segments.length; at++) {
      const origin = at * SEGMENT_TEXTS;
      const from = Math.max(0, found.upTo - origin);
      this.#segments[at]?.find(needle, from, (index) => found.places.push(origin + index));
    }
    found.upTo = this.#count;
    this.#frequent.delete(needle);
    if (found.places.length >= FREQUENT_HITS) this.#remember(needle, found);
    return found.places;
  }

  #remember(needle: string, found: Found): void {
    this.#frequent.set(needle, found);
    const [oldest] = this.#frequent.keys();
    if (this.#frequent.size > FREQUENT_MAX && oldest !== undefined) this.#frequent.delete(oldest);
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
