/** Property tests: a rule holds for all inputs. A failure prints its seed and smallest input. */
import fc from 'fast-check';

type Arbitraries<T extends unknown[]> = { [K in keyof T]: fc.Arbitrary<T[K]> };

/** Checks rules on so many inputs each. */
export function withRuns(numRuns: number) {
  return <T extends [unknown, ...unknown[]]>(
    arbitraries: Arbitraries<T>,
    rule: (...inputs: T) => void,
  ): void => fc.assert(fc.property(...arbitraries, rule), { numRuns });
}

export const forAll = withRuns(100);
