/**
 * Characters that drive a reader's terminal, mail or line of text in place of being read: ASCII's
 * and Latin-1's controls, and the marks that turn the direction of text. A name with U+202E shows
 * `gpj.exe` as `exe.jpg`. Joiners stay: they hold emoji together.
 */
const CONTROL = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
const EVERY_CONTROL = new RegExp(CONTROL, 'gu');

export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

export function withoutControl(text: string): string {
  return text.replace(EVERY_CONTROL, '');
}
