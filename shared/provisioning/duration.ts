/** Durations as operators write them: `250ms`, `6s`, `5m`, `2h`, `1d`. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A written duration. */
export const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;

/** Milliseconds of a written duration, or null where it is none. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text);
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  return match && unitMs !== undefined ? Math.round(Number(match[1]) * unitMs) : null;
}

const UNITS = ['d', 'h', 'm', 's', 'ms'] as const;

/** The shortest text that `parseDuration` reads as so many milliseconds. */
export function formatDuration(ms: number): string {
  const texts = UNITS.map((unit) => `${Number((ms / (UNIT_MS[unit] ?? 1)).toFixed(3))}${unit}`);
  const [shortest] = texts
    .filter((text) => parseDuration(text) === ms)
    .toSorted((a, b) => Number(a.includes('.')) - Number(b.includes('.')) || a.length - b.length);
  return shortest ?? `${ms}ms`;
}
