/**
 * Table of the texts of an organization's contacts: each row has an id, a text and a time, at an
 * ordinal that it keeps. A row that is not current any more is dead, and stays.
 */
import { fnv1a } from '../../shared/text/fnv1a.ts';
import { SEGMENT_BITS, SEGMENT_TEXTS, Segment, StringArena } from './segment.ts';

/** Time of a row that is dead. */
export const DEAD = -1;
const FIRST_CELLS = 1_024;
const NONE = -1;

export interface ContactText {
  readonly id: string;
  readonly text: string;
  readonly updatedAt: number;
}

export class TextTable {
  readonly #segments: Segment[] = [];
  readonly #ids: StringArena[] = [];
  readonly #times: Float64Array[] = [];
  readonly #idTable = new IdTable((ordinal) => this.id(ordinal));
  /** Of all rows, dead ones included. */
  count = 0;

  get bytes(): number {
    let bytes = this.#idTable.bytes;
    for (const each of [...this.#segments, ...this.#ids]) bytes += each.bytes;
    return bytes + this.#times.length * SEGMENT_TEXTS * Float64Array.BYTES_PER_ELEMENT;
  }

  /** The ordinal of the id's last row. */
  find(id: string): number | null {
    return this.#idTable.find(id);
  }

  push({ id, text, updatedAt }: ContactText): void {
    if (this.count % SEGMENT_TEXTS === 0) {
      this.#ids.at(-1)?.trim();
      this.#segments.push(new Segment());
      this.#ids.push(new StringArena(SEGMENT_TEXTS));
      this.#times.push(new Float64Array(SEGMENT_TEXTS));
    }
    this.#segments.at(-1)?.push(text);
    this.#ids.at(-1)?.push(id);
    this.setTime(this.count, updatedAt);
    this.#idTable.set(id, this.count);
    this.count++;
  }

  /**
   * Reports the rows of one segment that contain the raw needle, from the ordinal on.
   * @returns the ordinal with which the next call goes on
   */
  scan(needle: string, from: number, onHit: (ordinal: number) => void): number {
    const origin = from - (from & (SEGMENT_TEXTS - 1));
    const segment = this.#segments[from >> SEGMENT_BITS];
    segment?.find(needle, from - origin, (index) => onHit(origin + index));
    return Math.min(this.count, origin + SEGMENT_TEXTS);
  }

  id(ordinal: number): string {
    return this.#ids[ordinal >> SEGMENT_BITS]?.text(ordinal & (SEGMENT_TEXTS - 1)) ?? '';
  }

  text(ordinal: number): string {
    return this.#segments[ordinal >> SEGMENT_BITS]?.text(ordinal & (SEGMENT_TEXTS - 1)) ?? '';
  }

  time(ordinal: number): number {
    return this.#times[ordinal >> SEGMENT_BITS]?.[ordinal & (SEGMENT_TEXTS - 1)] ?? DEAD;
  }

  setTime(ordinal: number, time: number): void {
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
