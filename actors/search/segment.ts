/**
 * Segment of a substring index: 4,096 texts with n-gram signatures. For each 16 texts, 4,096 bits
 * record which three and which five bytes follow each other there: 32 bytes per text. A search
 * reads only blocks that may contain its needle.
 */
import { fnv1a } from '../../shared/text/fnv1a.ts';

export const SEGMENT_BITS = 12;
export const SEGMENT_TEXTS = 1 << SEGMENT_BITS;
const BLOCK_TEXTS = 16;
const BLOCKS = SEGMENT_TEXTS / BLOCK_TEXTS;
const WORDS = BLOCKS / 32;
/** Of a signature, for each length of n-gram. */
const ROWS = 2_048;
const ROW_BITS = 11;
const FIRST_BYTES = 4_096;
/** Ends each text; no user types it. */
const END = '\u0000';

interface Sought {
  readonly needle: string;
  readonly from: number;
  readonly onHit: (index: number) => void;
}

export class Segment {
  readonly #arena = new StringArena(SEGMENT_TEXTS);
  /** Bit by bit: for each row, which blocks have it. */
  readonly #signatures = new Uint32Array(2 * ROWS * WORDS);
  #count = 0;

  get full(): boolean {
    return this.#count === SEGMENT_TEXTS;
  }

  get bytes(): number {
    return this.#arena.bytes + this.#signatures.byteLength;
  }

  push(text: string): void {
    const ended = text.replaceAll(END, ' ') + END;
    const block = Math.floor(this.#count / BLOCK_TEXTS);
    const bit = 1 << (block % 32);
    const word = block >> 5;
    for (const row of rowsOf(asRaw(ended))) {
      const at = row * WORDS + word;
      this.#signatures[at] = (this.#signatures[at] ?? 0) | bit;
    }
    this.#arena.push(ended);
    this.#count++;
    if (this.full) this.#arena.trim();
  }

  /** Without the end mark. */
  text(index: number): string {
    return this.#arena.text(index).slice(0, -END.length);
  }

  /** Reports the texts from `from` on that contain the raw needle. */
  find(needle: string, from: number, onHit: (index: number) => void): void {
    const rows = rowsOf(needle);
    const blocks = Math.ceil(this.#count / BLOCK_TEXTS);
    const first = Math.floor(from / BLOCK_TEXTS);
    for (let word = first >> 5; word * 32 < blocks; word++) {
      for (let bits = this.#mayContain(word, rows); bits !== 0; bits &= bits - 1) {
        const block = word * 32 + 31 - Math.clz32(bits & -bits);
        if (block >= first && block < blocks) this.#findIn(block, { needle, from, onHit });
      }
    }
  }

  /** Which of 32 blocks may contain an n-gram of each of these rows. */
  #mayContain(word: number, rows: readonly number[]): number {
    let bits = -1;
    for (const row of rows) {
      bits &= this.#signatures[row * WORDS + word] ?? 0;
      if (bits === 0) return 0;
    }
    return bits;
  }

  #findIn(block: number, { needle, from, onHit }: Sought): void {
    const first = block * BLOCK_TEXTS;
    const last = Math.min(first + BLOCK_TEXTS, this.#count) - 1;
    const raw = this.#arena.raw(first, last);
    const origin = this.#arena.start(first);
    let index = first;
    for (let at = raw.indexOf(needle); at >= 0; ) {
      while (this.#arena.end(index) - origin <= at) index++;
      if (index >= from) onHit(index);
      at = raw.indexOf(needle, this.#arena.end(index) - origin);
    }
  }
}

/** The rows of every three and of every five consecutive bytes. */
function rowsOf(raw: string): readonly number[] {
  const rows: number[] = [];
  for (let at = 0; at + 3 <= raw.length; at++) rows.push(rowOf(raw, at, 3));
  for (let at = 0; at + 5 <= raw.length; at++) rows.push(ROWS + rowOf(raw, at, 5));
  return rows;
}

function rowOf(raw: string, start: number, bytes: number): number {
  return Math.imul(fnv1a(raw, start, start + bytes), 0x9e3779b1) >>> (32 - ROW_BITS);
}

/** String arena: many short texts in one growing piece of memory, one after the other. */
export class StringArena {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** The start of each text, and the end of the last one. */
  readonly #offsets: Uint32Array;
  #count = 0;

  constructor(capacity: number) {
    this.#offsets = new Uint32Array(capacity + 1);
  }

  /** Allocated bytes, used or not. */
  get bytes(): number {
    return this.#buffer.length + this.#offsets.byteLength;
  }

  push(text: string): void {
    const start = this.#offsets[this.#count] ?? 0;
    const bytes = Buffer.byteLength(text);
    if (start + bytes > this.#buffer.length) this.#grow(start + bytes);
    this.#buffer.write(text, start);
    this.#offsets[++this.#count] = start + bytes;
  }

  /** Frees unused capacity: no more texts will follow. */
  trim(): void {
    this.#buffer = Buffer.from(this.#buffer.subarray(0, this.end(this.#count - 1)));
  }

  start(index: number): number {
    return this.#offsets[index] ?? 0;
  }

  end(index: number): number {
    return this.#offsets[index + 1] ?? 0;
  }

  text(index: number): string {
    return this.#buffer.toString('utf8', this.start(index), this.end(index));
  }

  /** The bytes of the texts from `from` to `to`, with one character for each byte. */
  raw(from: number, to: number): string {
    return this.#buffer.toString('latin1', this.start(from), this.end(to));
  }

  #grow(wanted: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#buffer.length));
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }
}

/** A text in the encoding of `raw`. */
export function asRaw(text: string): string {
  return Buffer.from(text).toString('latin1');
}
