/** Bytes that only grow: many short texts, one after the other, in one piece of memory. */

const FIRST_BYTES = 4_096;

export class StringArena {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Where each text begins, and where the last one ends. */
  readonly #offsets: Uint32Array;
  #count = 0;

  constructor(capacity: number) {
    this.#offsets = new Uint32Array(capacity + 1);
  }

  /** Held, used or not. */
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

  /** Gives back what is not used: nothing more will come. */
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

  /** Texts from one to another as they lie there, a character for each byte. */
  raw(from: number, to: number): string {
    return this.#buffer.toString('latin1', this.start(from), this.end(to));
  }

  #grow(wanted: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#buffer.length));
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }
}

/** A text as `raw` shows it. */
export function asRaw(text: string): string {
  return Buffer.from(text).toString('latin1');
}
