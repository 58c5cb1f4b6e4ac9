/** Where an id's text is: a hash table over numbers, for a map of strings would weigh ten times. */

const FIRST_SIZE = 1_024;
const NONE = -1;

export class Places {
  readonly #idOf: (place: number) => string;
  #table = new Int32Array(FIRST_SIZE).fill(NONE);
  #used = 0;

  constructor(idOf: (place: number) => string) {
    this.#idOf = idOf;
  }

  get bytes(): number {
    return this.#table.byteLength;
  }

  find(id: string): number | null {
    const place = this.#table[this.#cellOf(id)] ?? NONE;
    return place === NONE ? null : place;
  }

  set(id: string, place: number): void {
    const cell = this.#cellOf(id);
    if (this.#table[cell] === NONE) this.#used++;
    this.#table[cell] = place;
    if (2 * this.#used > this.#table.length) this.#grow();
  }

  /** The id's own cell, or the free one where it would be. */
  #cellOf(id: string): number {
    const mask = this.#table.length - 1;
    let cell = hashOf(id) & mask;
    for (;;) {
      const place = this.#table[cell] ?? NONE;
      if (place === NONE || this.#idOf(place) === id) return cell;
      cell = (cell + 1) & mask;
    }
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Int32Array(2 * before.length).fill(NONE);
    const mask = this.#table.length - 1;
    for (const place of before) {
      if (place === NONE) continue;
      let cell = hashOf(this.#idOf(place)) & mask;
      while (this.#table[cell] !== NONE) cell = (cell + 1) & mask;
      this.#table[cell] = place;
    }
  }
}

/** FNV-1a. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
