/** Structural equality of plain data; an undefined property equals an absent one. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = new Map(Object.entries(a).filter(([, value]) => value !== undefined));
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  if (left.size !== right.size) return false;
  return [...left].every(([name, value]) => right.has(name) && isSame(value, right.get(name)));
}
