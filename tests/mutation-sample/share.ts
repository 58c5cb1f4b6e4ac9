/** Sample for the tests of the mutation score: small, and not wholly tested. */
export function share(part: number, whole: number): number {
  if (whole <= 0) return 0;
  if (part < 0) throw new Error('a part is not negative');
  return Math.min(1, part / whole);
}
