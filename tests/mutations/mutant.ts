/** A protection that is switched off by one change of the source, and what has to notice it. */
export interface Mutant {
  readonly name: string;
  /** From the project's root. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Simulated worlds, or a file of tests. */
  readonly caughtBy: 'simulation' | { readonly test: string };
}
