/**
 * A page of the union of two disjoint lists in one order. The store pages the long one, and the
 * short one is read whole.
 */
interface Window {
  readonly skip: number;
  readonly limit: number;
}

/** The window of the long list from which the page of the union can be made. */
export function longWindow({ skip, limit }: Window, shortLength: number): Window {
  const begin = Math.max(0, skip - shortLength);
  return { skip: begin, limit: limit + skip - begin };
}

/** @param long the items of the long list's window */
export function unionPage<Item>(
  { long, short }: { readonly long: readonly Item[]; readonly short: readonly Item[] },
  { skip, limit }: Window,
  compare: (a: Item, b: Item) => number,
): readonly Item[] {
  const left = skip - longWindow({ skip, limit }, short.length).skip;
  return [...long, ...short].toSorted(compare).slice(left, left + limit);
}
