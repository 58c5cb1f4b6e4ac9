/** A tag without blanks around it, in the one spelling of its accents that Unicode composes. */
export function plainTag(tag: string): string {
  return tag.trim().normalize('NFC');
}
