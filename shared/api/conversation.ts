/** Schemas of conversations: filters and answers (C2.5, C4.7). */
import * as v from 'valibot';
import { MESSAGE_TEXT_MAX_CHARS } from '../limits.ts';
import { CONVERSATION_STATUSES, PROVIDERS } from '../vocabulary.ts';
import { ContactNameSchema } from './contact.ts';
import {
  choice,
  id,
  idText,
  pageEntries,
  pageSiblings,
  requestObject,
  textBetween,
  timestamp,
  wholeCount,
} from './fields.ts';

export const ConversationSchema = v.object({
  id,
  status: v.picklist(CONVERSATION_STATUSES),
  channel: v.object({ id, label: v.string(), provider: v.picklist(PROVIDERS) }),
  contact: ContactNameSchema,
  assignedTo: v.nullable(v.string()),
  participants: v.array(v.string()),
  unread: wholeCount,
  lastMessageAt: v.nullable(timestamp),
  lastMessagePreview: v.nullable(v.string()),
  automationPausedUntil: v.nullable(timestamp),
  createdAt: timestamp,
  /** From then on a `cloud` contact reads templates alone; null on `web`, and before the first. */
  windowExpiresAt: v.nullable(timestamp),
});
export type Conversation = v.InferOutput<typeof ConversationSchema>;

export const ListConversationsQuery = requestObject({
  status: v.optional(choice(CONVERSATION_STATUSES)),
  channelId: v.optional(idText),
  contactId: v.optional(idText),
  ...pageEntries,
});

export const ConversationAnswer = v.object({ data: ConversationSchema });
export const WriteNoteBody = requestObject({ text: textBetween(1, MESSAGE_TEXT_MAX_CHARS) });
export const WriteNoteAnswer = v.object({ data: v.object({ messageId: id, conversationId: id }) });

export const ListConversationsAnswer = v.object({
  data: v.array(ConversationSchema),
  ...pageSiblings,
});
