/** The first so many of a great number, without sorting them all. */

export interface Order {
  /** Higher comes first. */
  readonly key: (each: number) => number;
  /** Between two of one key. */
  readonly isBefore: (a: number, b: number) => boolean;
}

/** The first `wanted` in order. */
export function firstOf(all: readonly number[], wanted: number, order: Order): number[] {
  const { key, isBefore } = order;
  const comesBefore = (a: number, b: number): boolean => {
    const by = key(a) - key(b);
    return by === 0 ? isBefore(a, b) : by > 0;
  };
  const isWorse = (a: number, b: number): boolean => comesBefore(b, a);
  if (wanted === 0) return [];
  // A heap of the best so far, the worst of them on top.
  const heap: number[] = [];
  let worst = Number.NEGATIVE_INFINITY;
  for (const each of all) {
    if (heap.length < wanted) {
      heap.push(each);
      rise(heap, isWorse);
    } else if (key(each) >= worst && comesBefore(each, heap[0] ?? each)) {
      heap[0] = each;
      sink(heap, isWorse);
    } else continue;
    if (heap.length === wanted) worst = key(heap[0] ?? each);
  }
  return heap.sort((a, b) => (comesBefore(a, b) ? -1 : 1));
}

type IsHigher = (a: number, b: number) => boolean;

function rise(heap: number[], isHigher: IsHigher): void {
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1;
    if (!isHigher(heap[at] ?? 0, heap[parent] ?? 0)) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function sink(heap: number[], isHigher: IsHigher): void {
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
