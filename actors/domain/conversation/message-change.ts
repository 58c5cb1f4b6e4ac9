/**
 * Edits and deletions of a recorded message by its author (D153).
 *
 * 1. The edit with the latest time is shown, in whatever order and however often edits arrive. Of
 *    two with the same time the larger text wins.
 * 2. A deletion is final: no later edit makes the text visible again.
 * 3. Contacts change only inbound messages, the connected phone only outbound ones.
 * 4. A change updates only the conversation's preview, while that shows the message. It is not
 *    unread, reopens nothing and emits no event.
 */
import type { StoredMessage } from '../../../shared/message.ts';
import { type Appended, appendEntry, type ConversationState, previewOf } from './conversation.ts';

export interface Edit {
  /** First field: MongoDB's `$max` compares field by field and keeps the newest. */
  readonly at: number;
  readonly text: string | null;
}

export type Deletion = Pick<Edit, 'at'>;

export type MessageChange =
  | ({ readonly type: 'edit' } & Edit)
  | ({ readonly type: 'deletion' } & Deletion);

/** Stored beside the message: updates of receipts and media overwrite no change. */
export interface Changes {
  readonly edit?: Edit;
  readonly deletion?: Deletion;
}

export function mayChange(
  { direction }: Pick<StoredMessage, 'direction'>,
  { fromMe }: { readonly fromMe: boolean },
): boolean {
  return direction === (fromMe ? 'out' : 'in');
}

/** The part of the change that is new; null: nothing is. */
export function applyChange({ edit, deletion }: Changes, change: MessageChange): Changes | null {
  const { at } = change;
  if (change.type === 'deletion')
    return deletion && deletion.at >= at ? null : { deletion: { at } };
  const candidate: Edit = { at, text: change.text };
  return edit && !isNewer(candidate, edit) ? null : { edit: candidate };
}

/** MongoDB's order: null is less than any text. */
function isNewer(one: Edit, other: Edit): boolean {
  if (one.at !== other.at) return one.at > other.at;
  return one.text !== null && (other.text === null || one.text > other.text);
}

export function shownMessage(
  { text, media }: Pick<StoredMessage, 'text' | 'media'>,
  { edit, deletion }: Changes,
) {
  return {
    text: deletion ? null : edit ? edit.text : text,
    media: deletion ? null : media,
    ...(edit ? { editedAt: edit.at } : {}),
    ...(deletion ? { deletedAt: deletion.at } : {}),
  };
}

interface ChangedMessage extends Changes {
  readonly seq: number;
  readonly message: StoredMessage;
}

/** The preview shows the last message; null when it does so already. */
export function decidePreview(
  state: ConversationState,
  { seq, message, ...changes }: ChangedMessage,
  now: number,
): Appended | null {
  const { lastMessageSeq } = state;
  const isNewest = (message.releasedAt ?? message.createdAt) === state.lastMessageAt;
  const isLast = lastMessageSeq === undefined ? isNewest : lastMessageSeq === seq;
  const { text, deletedAt } = shownMessage(message, changes);
  const kind = deletedAt === undefined ? message.kind : 'deleted';
  const lastMessagePreview = previewOf({ text, kind });
  if (!isLast || lastMessagePreview === state.lastMessagePreview) return null;
  return appendEntry({ ...state, lastMessagePreview }, now);
}
