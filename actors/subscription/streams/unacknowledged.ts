/**
 * What a stream has written and its client has not acknowledged: positions by id, rising. Values:
 * nothing is read or written here.
 *
 * 1. Fewer than `EVENT_STREAM_UNACKNOWLEDGED_MAX` leave room for more. That bounds the memory.
 * 2. New positions are above all known ones.
 */
import { EVENT_STREAM_PAGE_MAX, EVENT_STREAM_UNACKNOWLEDGED_MAX } from '../../../shared/limits.ts';

interface Positioned {
  readonly _id: string;
  readonly state: { readonly position?: number };
}

export class Unacknowledged {
  readonly #positions: Map<string, number>;

  /** @param positions rising */
  constructor(positions: ReadonlyMap<string, number>) {
    this.#positions = new Map(positions);
  }

  get size(): number {
    return this.#positions.size;
  }

  /** The highest position; 0 where there is none. */
  get last(): number {
    return [...this.#positions.values()].at(-1) ?? 0;
  }

  /** How many more may be written at once. */
  get capacity(): number {
    const capacity = EVENT_STREAM_UNACKNOWLEDGED_MAX - this.#positions.size;
    return Math.min(Math.max(0, capacity), EVENT_STREAM_PAGE_MAX);
  }

  has(id: string): boolean {
    return this.#positions.has(id);
  }

  after(position: number): readonly string[] {
    return [...this.#positions].flatMap(([id, at]) => (at > position ? [id] : []));
  }

  upTo(position: number): readonly string[] {
    return [...this.#positions].flatMap(([id, at]) => (at <= position ? [id] : []));
  }

  /** So many of the oldest. */
  oldest(count: number): readonly string[] {
    return [...this.#positions.keys()].slice(0, count);
  }

  add(deliveries: readonly Positioned[]): void {
    for (const { _id, state } of deliveries) this.#positions.set(_id, state.position ?? 0);
  }

  /** True where this makes the first room. */
  remove(ids: readonly string[]): boolean {
    const wasFull = this.capacity === 0;
    for (const id of ids) this.#positions.delete(id);
    return wasFull && ids.length > 0;
  }
}
