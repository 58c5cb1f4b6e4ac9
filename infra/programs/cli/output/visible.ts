/**
 * Text as a terminal shows it. What contacts and callers have stored is printed to the operator's
 * terminal, which obeys control characters: a name may write to the clipboard (OSC 52), hide the
 * rows before it or set the window's title; bidirectional marks turn a line around.
 */

/** Line breaks and tabs are the layout of our own texts. */
const OBEYED = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/gu;

/** Control and bidirectional characters as `\u001b`, which JSON and quoted YAML read back. */
export function visible(text: string): string {
  return text.replace(OBEYED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whether a terminal would obey a part of the text. */
export function isObeyed(text: string): boolean {
  return text.search(OBEYED) >= 0;
}
