/** The seed of an `apply`, from which its tokens would be derived. */
export function applySeed(seed: number): string {
  return `seed-of-a-world-that-is-long-enough-${seed}`;
}
