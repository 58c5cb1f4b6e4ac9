/** Mutations that change nothing that anybody could notice, each by its mutated text. */
export interface Equivalent {
  readonly file: string;
  /** The lines that are mutated, as they are then, with single spaces. */
  readonly text: string;
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [];
