/** Randomness that can be repeated: the same seed gives the same draws. */

export interface SeededRandom {
  /** A whole number from 0 to `count - 1`. */
  below(count: number): number;
  happens(probability: number): boolean;
  pick<const T>(choices: readonly [T, ...T[]] | readonly T[]): T;
}

/** Mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    happens: (probability) => next() < probability,
    pick: (choices) => {
      const chosen = choices[below(choices.length)];
      if (chosen === undefined && choices.length === 0) throw new Error('nothing to pick from');
      return chosen as never;
    },
  };
}

/** From the environment, so that a run can be repeated; else from the clock. */
export function chosenSeed(): number {
  const given = process.env.FUZZ_SEED;
  return given === undefined ? Date.now() % 1_000_000_000 : Number(given);
}

/** How many cases, unless the environment wants more or fewer. */
export function chosenCount(usual: number): number {
  const given = process.env.FUZZ_CASES;
  return given === undefined ? usual : Number(given);
}
