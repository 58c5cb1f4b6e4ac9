interface Edit {
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A protection that is switched off by a change of one file, and what has to notice it. */
export interface Mutant extends Edit {
  readonly name: string;
  /** From the project's root. */
  readonly file: string;
  /** Where a second protection would hide that the first one is off. */
  readonly also?: readonly Edit[];
  /** Simulated worlds, those of slow time among the worlds of `npm test`, or a file of tests. */
  readonly caughtBy: 'simulation' | 'slow worlds' | { readonly test: string };
  /** Of simulated worlds the first that found it, where the hunt begins. */
  readonly from?: number;
  /** In a process of its own, whose start costs less than its tests where nothing is wrong. */
  readonly apart?: true;
}

/** Everything that the mutant changes in its file. */
export function editsOf({ find, replace, also = [] }: Mutant): readonly Edit[] {
  return [{ find, replace }, ...also];
}

/** The text of its file with the protection off. */
export function switchedOff(mutant: Mutant, source: string): string {
  return editsOf(mutant).reduce(
    (text, { find, replace }) => text.replace(find, () => replace),
    source,
  );
}
