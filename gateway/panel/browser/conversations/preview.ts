/** The last message of a conversation in a line: a kind without a text stands there in brackets. */
import { TEXT } from '../sentences.ts';

export function previewOf(preview: string | null): string {
  const kinds = Object.entries(TEXT.thread.kinds);
  return kinds.find(([kind]) => `[${kind}]` === preview)?.[1] ?? preview ?? '';
}
