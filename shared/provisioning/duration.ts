/** Durations as operators write them: `250ms`, `6s`, `5m`, `2h`, `1d`. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a written duration, or null where it is none. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  return match && unitMs !== undefined ? Math.round(Number(match[1]) * unitMs) : null;
}
