/** What a run of the fuzzers is made of, unless the environment says otherwise. */

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
