/** Words by which a contact opts out (D19): the whole text, in any case. */
const OPT_OUT_WORDS: ReadonlySet<string> = new Set(['SAIR', 'PARAR', 'CANCELAR', 'STOP']);

export function isOptOutWord(text: string | null): boolean {
  return text !== null && OPT_OUT_WORDS.has(text.trim().toUpperCase());
}
