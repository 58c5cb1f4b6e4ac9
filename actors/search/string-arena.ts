/** String arena: many short texts in one growing piece of memory, one after the other. */

const FIRST_BYTES = 4_096;

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
