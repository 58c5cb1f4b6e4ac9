/** Made at the first use: its data take the start of a process 8 ms. */
let collator: Intl.Collator | undefined;

/** The order of names for people: accents and capitals count last. */
export function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator('pt-BR');
  return collator.compare(one, other);
}
