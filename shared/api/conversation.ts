/** Schemas of conversations: filters and answers (C2.5, C4.7). */
import * as v from 'valibot';
import { MESSAGE_TEXT_MAX_CHARS, PARTICIPANTS_MAX_PER_REQUEST } from '../limits.ts';
import { CONVERSATION_STATUSES, PROVIDERS } from '../vocabulary.ts';
import { ContactNameSchema } from './contact.ts';
import {
  choice,
  id,
  idText,
  listUpTo,
  momentText,
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

/** Statuses that a caller may give: a flow alone sets the third. */
export const GIVEN_STATUSES = ['open', 'resolved'] as const;

export const CONVERSATION_SENTENCES = {
  nothingToChange: 'Informe ao menos um campo para alterar.',
  /** Of an id that is no member's, and of a member who may not sign in or only reads. */
  notAttendant: 'Não é um membro ativo da equipe que pode atender.',
  pauseRange: 'Deve ser um momento futuro, no máximo daqui a 365 dias.',
} as const;

export const ChangeConversationBody = v.pipe(
  requestObject({
    assignedTo: v.optional(v.nullable(idText)),
    participants: v.optional(listUpTo(idText, PARTICIPANTS_MAX_PER_REQUEST)),
    status: v.optional(choice(GIVEN_STATUSES)),
    automationPausedUntil: v.optional(v.nullable(momentText)),
  }),
  v.check(
    (change) => Object.values(change).some((value) => value !== undefined),
    CONVERSATION_SENTENCES.nothingToChange,
  ),
);

export const ConversationAnswer = v.object({ data: ConversationSchema });
export const WriteNoteBody = requestObject({ text: textBetween(1, MESSAGE_TEXT_MAX_CHARS) });
export const WriteNoteAnswer = v.object({ data: v.object({ messageId: id, conversationId: id }) });

export const ListConversationsAnswer = v.object({
  data: v.array(ConversationSchema),
  ...pageSiblings,
});
