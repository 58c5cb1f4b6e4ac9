/** The values of one property, in the order of the entries. */
export function pluck<T, K extends keyof T>(
  entries: readonly T[] | undefined,
  key: K,
): readonly T[K][] {
  return (entries ?? []).map((entry) => entry[key]);
}
