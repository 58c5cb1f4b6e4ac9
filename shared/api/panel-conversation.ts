/** The panel's list of conversations: the schema of its filters, and what only its rows show. */
import * as v from 'valibot';
import type { AuthorKind, Direction, MessageStatus } from '../vocabulary.ts';
import { ListConversationsQuery } from './conversation.ts';
import { anyText, booleanField, idText, requestObject, tagText } from './fields.ts';

export const ListPanelConversationsQuery = requestObject({
  ...ListConversationsQuery.entries,
  /** A member's id, or `none`. */
  assignedTo: v.optional(idText),
  unread: v.optional(booleanField),
  query: v.optional(anyText),
  /** Of the contact. */
  tag: v.optional(tagText),
});

/** Of the message that a row previews: who wrote it, and what became of it. */
export interface LastMessage {
  readonly direction: Direction;
  readonly author: { readonly kind: AuthorKind; readonly label: string };
  /** Null where no member wrote it, and for messages of earlier versions. */
  readonly memberId: string | null;
  readonly status: MessageStatus;
}

export interface RowFacts {
  /** Null where the row previews a message of a log that was joined to it, or none. */
  readonly lastMessage: LastMessage | null;
  readonly contactTags: readonly string[];
}
