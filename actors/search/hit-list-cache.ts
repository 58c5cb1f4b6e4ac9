/**
 * LRU cache of the hit lists of frequent searches, for all organizations of a process. It evicts
 * lists beyond `HIT_LISTS_MAX_BYTES` in all.
 */
const HIT_LISTS_MAX_BYTES = 32 * 1024 * 1024;
const FIRST_ORDINALS = 256;
/** Of an entry beside its ordinals and its key. */
const ENTRY_BYTES = 200;

/** Ordinals in ascending order, four bytes each. */
export class HitList {
  #ordinals = new Uint32Array(FIRST_ORDINALS);
  count = 0;
  /** Ordinals from here on are not scanned yet. */
  scannedTo = 0;

  get bytes(): number {
    return this.#ordinals.byteLength;
  }

  push(ordinal: number): void {
    if (this.count === this.#ordinals.length) {
      const larger = new Uint32Array(2 * this.count);
      larger.set(this.#ordinals);
      this.#ordinals = larger;
    }
    this.#ordinals[this.count++] = ordinal;
  }

  at(index: number): number {
    return this.#ordinals[index] ?? 0;
  }

  /** Frees unused capacity. */
  trim(): void {
    if (this.count < this.#ordinals.length) {
      this.#ordinals = this.#ordinals.slice(0, Math.max(1, this.count));
    }
  }
}

export class HitListCache {
  readonly #maxBytes: number;
  /** The least recently used first. */
  readonly #cached = new Map<string, HitList>();
  bytes = 0;
  #namespaces = 0;

  constructor(maxBytes = HIT_LISTS_MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** A prefix that separates the needles of one index from those of another. */
  nextNamespace(): string {
    return String(this.#namespaces++);
  }

  /** Removes the list from the cache: no other search uses it until `checkIn`. */
  checkOut(key: string): HitList {
    const known = this.#cached.get(key);
    if (!known) return new HitList();
    this.#cached.delete(key);
    this.bytes -= bytesOf(key, known);
    return known;
  }

  checkIn(key: string, hitList: HitList): void {
    hitList.trim();
    this.#cached.set(key, hitList);
    this.bytes += bytesOf(key, hitList);
    for (const [oldest, each] of this.#cached) {
      if (this.bytes <= this.#maxBytes) return;
      this.#cached.delete(oldest);
      this.bytes -= bytesOf(oldest, each);
    }
  }
}

function bytesOf(key: string, { bytes }: HitList): number {
  return ENTRY_BYTES + 2 * key.length + bytes;
}
