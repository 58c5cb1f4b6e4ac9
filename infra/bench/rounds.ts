/**
 * Sides measured in turns. The machines are shared, so absolute figures drift by a factor of two
 * within the hour. Only medians of alternating rounds, and their ratios, are comparable.
 */

/** One side of a comparison; `drain` waits until none of its work is left. */
export interface Side<Measured> {
  readonly name: string;
  measure(): Promise<Measured>;
  drain?(): Promise<void>;
}

/** Every side once per round, in turn; by the sides' names. */
export async function inTurns<Measured>(
  sides: readonly Side<Measured>[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Measured[]>> {
  const measured = new Map<string, Measured[]>(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      measured.get(side.name)?.push(await side.measure());
      await side.drain?.();
    }
  }
  return measured;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The value below which `share` of the sorted values lie. */
export function quantile(sorted: readonly number[], share: number): number {
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return sorted[index] ?? Number.NaN;
}

/** To so many digits behind the point. */
export function round(value: number, digits = 1): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
