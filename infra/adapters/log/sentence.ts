/** A failure in one sentence, for people. */

/** Addresses in it may contain credentials, which are removed. */
export function sentenceOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message || cause.name : String(cause);
  return text
    .replace(/\/\/[^/@\s]+@/g, '//')
    .replace(/\s+/g, ' ')
    .trim();
}
