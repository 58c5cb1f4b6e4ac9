/**
 * Cache of what frequent searches have found, of all organizations of a process: the least recently
 * used list goes when all of them have more than `FINDINGS_MAX_BYTES`.
 */

const FINDINGS_MAX_BYTES = 32 * 1024 * 1024;
const FIRST_PLACES = 256;
/** Of an entry beside its places and its needle. */
const ENTRY_BYTES = 200;

/** Places in ascending order, four bytes each. */
export class Finding {
  #places = new Uint32Array(FIRST_PLACES);
  #count = 0;
  /** Places from here on have not been looked at. */
  upTo = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#places.byteLength;
  }

  push(place: number): void {
    if (this.#count === this.#places.length) {
      const larger = new Uint32Array(2 * this.#count);
      larger.set(this.#places);
      this.#places = larger;
    }
    this.#places[this.#count++] = place;
  }

  at(index: number): number {
    return this.#places[index] ?? 0;
  }

  /** Gives back what is not used. */
  trim(): void {
    if (this.#count < this.#places.length) {
      this.#places = this.#places.slice(0, Math.max(1, this.#count));
    }
  }
}

export class Findings {
  readonly #maxBytes: number;
  /** The longest unused first. */
  readonly #kept = new Map<string, Finding>();
  #bytes = 0;
  #names = 0;

  constructor(maxBytes = FINDINGS_MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What tells the needles of one from those of another. */
  name(): string {
    return String(this.#names++);
  }

  /** It is nobody else's until it is kept again. */
  take(key: string): Finding {
    const known = this.#kept.get(key);
    if (!known) return new Finding();
    this.#kept.delete(key);
    this.#bytes -= bytesOf(key, known);
    return known;
  }

  keep(key: string, finding: Finding): void {
    finding.trim();
    this.#kept.set(key, finding);
    this.#bytes += bytesOf(key, finding);
    for (const [oldest, each] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOf(oldest, each);
    }
  }
}

function bytesOf(key: string, { bytes }: Finding): number {
  return ENTRY_BYTES + 2 * key.length + bytes;
}
