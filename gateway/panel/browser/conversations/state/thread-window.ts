/**
 * Arithmetic of the virtual list: rows of measured or estimated height, and the few of them that
 * are in view. Pure; the component measures and scrolls.
 */

/** Offset of each row, and the height of all as the last. */
export function offsetsOf(
  count: number,
  heights: ReadonlyMap<number, number>,
  estimate: number,
): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let row = 0; row < count; row++) {
    offsets[row + 1] = (offsets[row] ?? 0) + (heights.get(row) ?? estimate);
  }
  return offsets;
}

/** The row at a distance from the top. */
export function rowAt(offsets: Float64Array, top: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= top) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface Range {
  readonly first: number;
  /** Below `first` when there are no rows. */
  readonly last: number;
}

export function rangeOf(
  offsets: Float64Array,
  view: { readonly top: number; readonly height: number },
  overscan: number,
): Range {
  const count = offsets.length - 1;
  if (count === 0) return { first: 0, last: -1 };
  return {
    first: Math.max(0, rowAt(offsets, view.top) - overscan),
    last: Math.min(count - 1, rowAt(offsets, view.top + view.height) + overscan),
  };
}
