/**
 * One text for one JSON value, whatever the order of its names, its blanks and its escapes: what an
 * `Idempotency-Key` is bound to.
 */

/** The recursion ends there: no body of a row is so deep. */
const DEPTH_MAX = 100;

/** Null for a value that is deeper than any body means to be. */
export function canonicalJson(value: unknown): string | null {
  return isDeeper(value, DEPTH_MAX) ? null : textOf(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

function textOf(value: unknown): string {
  // `1e999` is read as Infinity, and is not the null that JSON would write for it.
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${textOf(each)}`).join(',')}}`;
}
