/** Case- and accent-insensitive text: searched as a literal substring. */
export function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
