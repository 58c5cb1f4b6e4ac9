/** Form of an equivalent mutation, which changes no observable behaviour. */
export interface Equivalent {
  readonly file: string;
  /** The lines that are mutated, as they are then, with single spaces. */
  readonly text: string;
  readonly why: string;
}

export const named =
  (file: string) =>
  (why: string, ...texts: readonly string[]): readonly Equivalent[] =>
    texts.map((text) => ({ file, text, why }));
