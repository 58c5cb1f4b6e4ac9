/**
 * Hash table from ids to ordinals. It stores numbers only: a map of strings is ten times as large.
 */
import { fnv1a } from '../../shared/text/fnv1a.ts';

const FIRST_SIZE = 1_024;
const NONE = -1;

export class IdTable {
  readonly #idOf: (ordinal: number) => string;
  #table = new Int32Array(FIRST_SIZE).fill(NONE);
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
