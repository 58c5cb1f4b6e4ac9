/** Schema of the panel's list of conversations. */
import * as v from 'valibot';
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
