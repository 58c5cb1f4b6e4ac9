/** The values of one property, in the order of the entries. */
export function pluck<T, K extends keyof T>(
  entries: readonly T[] | undefined,
  key: K,
): readonly T[K][] {
  return (entries ?? []).map((entry) => entry[key]);
}

/** A row for each entry: the values of these properties. */
export function pluckRows<T, K extends keyof T>(
  entries: readonly T[],
  ...keys: readonly K[]
): readonly (readonly T[K][])[] {
  return entries.map((entry) => keys.map((key) => entry[key]));
}
