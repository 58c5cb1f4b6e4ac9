/** Preview of a conversation's last message, for lists. */
const PREVIEW_CHARS = 160;

export function previewOf(message: {
  readonly text: string | null;
  readonly kind: string;
}): string {
  const text = message.text ?? `[${message.kind}]`;
  if (text.length <= PREVIEW_CHARS) return text;
  return [...text.slice(0, 2 * PREVIEW_CHARS)].slice(0, PREVIEW_CHARS).join('');
}
