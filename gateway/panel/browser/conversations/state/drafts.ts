/** Unfinished texts, one of each conversation for messages and one for notes. */
import { storedText, storeText } from '../../base/text-storage.ts';
import { session } from '../../session.ts';

/** A text with the name of the draft that it belongs to. */
export interface Written {
  readonly name: string;
  readonly text: string;
}

export function draftName(conversationId: string, note: boolean): string {
  const { id = '' } = session.value?.member ?? {};
  return `recado:draft:${id}:${conversationId}:${note ? 'note' : 'message'}`;
}

/** The text of a draft: a text of another one never stands in its place, not for a moment. */
export function textOf(written: Written, name: string): string {
  return written.name === name ? written.text : storedText(name);
}

/** The drafts of a conversation that was joined to another one go with it. */
export function moveDrafts(from: string, to: string): void {
  for (const note of [false, true]) {
    const text = storedText(draftName(from, note));
    if (text === '') continue;
    const there = storedText(draftName(to, note));
    storeText(draftName(to, note), there === '' ? text : `${there}\n${text}`);
    storeText(draftName(from, note), '');
  }
}
