/** Runs the world of one seed: what a batch is told of it. */
import { simulate } from './simulate.ts';

export interface SeedReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly coverage: readonly (readonly [string, number])[];
  readonly calls: number;
  readonly events: number;
  readonly virtualMs: number;
  readonly replayed: boolean;
  readonly digest: string;
}

/** Every so many seeds are run twice, to see that they replay identically. */
const REPLAY_EVERY = 20;

export async function reportOf(seed: number): Promise<SeedReport> {
  const outcome = await simulate(seed);
  const { violations, coverage, calls, events, virtualMs, digest } = outcome;
  const replayed = seed % REPLAY_EVERY !== 0 || (await simulate(seed)).digest === digest;
  return {
    ...{ seed, violations, calls, events, virtualMs, replayed, digest },
    coverage: [...coverage],
  };
}
