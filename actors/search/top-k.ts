/** Top-k selection: a page of many items, without sorting them all. */
import type { HitList } from './hit-list-cache.ts';

export interface Order {
  /** The higher key comes first; an item with a negative key does not count. */
  readonly key: (ordinal: number) => number;
  /** The order of two items with equal keys. */
  readonly isBefore: (a: number, b: number) => boolean;
}

/** Selects the first `k` of all offered items. */
export class TopK {
  readonly #k: number;
  readonly #order: Order;
  /** A heap of the best so far, with the worst of them on top. */
  readonly #heap: number[] = [];
  #worst = Number.NEGATIVE_INFINITY;

  constructor(k: number, order: Order) {
    this.#k = k;
    this.#order = order;
  }

  offer(ordinal: number): void {
    const heap = this.#heap;
    if (heap.length < this.#k) {
      heap.push(ordinal);
      siftUp(heap, this.#isWorse);
    } else if (
      this.#order.key(ordinal) >= this.#worst &&
      heap[0] !== undefined &&
      comesBefore(this.#order, ordinal, heap[0])
    ) {
      heap[0] = ordinal;
      siftDown(heap, this.#isWorse);
    } else return;
    if (heap.length === this.#k) this.#worst = this.#order.key(heap[0] ?? ordinal);
  }

  /** The selected items in order. */
  sorted(): readonly number[] {
    return this.#heap.toSorted((a, b) => (comesBefore(this.#order, a, b) ? -1 : 1));
  }

  readonly #isWorse = (a: number, b: number): boolean => comesBefore(this.#order, b, a);
}

/**
 * The items from `from` to `to` in order, found by the keys between them. A deep page costs a sort
 * of plain numbers.
 * @param keys of all items that count, in any order; sorted here
 */
export function selectRange(
  hitList: HitList,
  { keys, from, to }: { readonly keys: Float64Array; readonly from: number; readonly to: number },
  order: Order,
): readonly number[] {
  const end = Math.min(to, keys.length);
  if (from >= end) return [];
  keys.sort();
  const highest = keys[keys.length - 1 - from] ?? 0;
  const lowest = keys[keys.length - end] ?? 0;
  const some: number[] = [];
  let before = 0;
  for (let index = 0; index < hitList.count; index++) {
    const ordinal = hitList.at(index);
    const key = order.key(ordinal);
    if (key > highest) before += 1;
    else if (key >= lowest) some.push(ordinal);
  }
  some.sort((a, b) => (comesBefore(order, a, b) ? -1 : 1));
  return some.slice(from - before, end - before);
}

function comesBefore({ key, isBefore }: Order, a: number, b: number): boolean {
  const by = key(a) - key(b);
  return by === 0 ? isBefore(a, b) : by > 0;
}

type IsHigher = (a: number, b: number) => boolean;

function siftUp(heap: number[], isHigher: IsHigher): void {
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1;
    if (!isHigher(heap[at] ?? 0, heap[parent] ?? 0)) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function siftDown(heap: number[], isHigher: IsHigher): void {
  for (let at = 0; ; ) {
    let highest = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && isHigher(heap[child] ?? 0, heap[highest] ?? 0)) highest = child;
    }
    if (highest === at) return;
    swap(heap, at, highest);
    at = highest;
  }
}

function swap(heap: number[], a: number, b: number): void {
  [heap[a], heap[b]] = [heap[b] ?? 0, heap[a] ?? 0];
}
