/** Messages: sending and history (C2.6, C4.8, C4.9). */
import * as v from 'valibot';
import { CAPTION_MAX_CHARS, MESSAGE_TEXT_MAX_CHARS } from '../limits.ts';
import { AUTHOR_KINDS, DIRECTIONS, MESSAGE_KINDS, MESSAGE_STATUSES } from '../vocabulary.ts';
import {
  booleanField,
  id,
  idText,
  pageEntries,
  pageSiblings,
  phoneText,
  requestObject,
  textBetween,
  textUpTo,
  timestamp,
  wholeCount,
} from './fields.ts';
import { SENTENCES } from './sentences.ts';

export const MessageSchema = v.object({
  id,
  direction: v.picklist(DIRECTIONS),
  kind: v.picklist(MESSAGE_KINDS),
  text: v.nullable(v.string()),
  media: v.nullable(
    v.object({
      id,
      mimeType: v.string(),
      fileName: v.nullable(v.string()),
      sizeBytes: v.nullable(wholeCount),
      url: v.nullable(v.string()),
    }),
  ),
  author: v.object({ kind: v.picklist(AUTHOR_KINDS), label: v.string() }),
  status: v.picklist(MESSAGE_STATUSES),
  receipts: v.object({
    sent: v.nullable(timestamp),
    delivered: v.nullable(timestamp),
    read: v.nullable(timestamp),
  }),
  externalId: v.nullable(v.string()),
  replyToId: v.nullable(v.string()),
  referral: v.optional(v.string()),
  transcript: v.nullable(v.string()),
  createdAt: timestamp,
  editedAt: v.optional(timestamp),
  deletedAt: v.optional(timestamp),
  error: v.optional(v.object({ code: v.string(), message: v.string() })),
});
export type Message = v.InferOutput<typeof MessageSchema>;

export function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

/** Rules across fields point at the field to add or drop (D5). */
export const SendMessageBody = v.pipe(
  requestObject({
    channelId: v.optional(idText),
    phone: v.optional(phoneText),
    conversationId: v.optional(idText),
    text: v.optional(textBetween(1, MESSAGE_TEXT_MAX_CHARS)),
    mediaUrl: v.optional(
      v.pipe(
        v.string(SENTENCES.textExpected),
        v.check(isWebUrl, SENTENCES.urlInvalid),
        v.metadata({ format: 'uri' }),
      ),
    ),
    mediaId: v.optional(idText),
    caption: v.optional(textUpTo(CAPTION_MAX_CHARS)),
  }),
  v.forward(
    v.partialCheck(
      [['phone'], ['conversationId']],
      ({ phone, conversationId }) => phone !== undefined || conversationId !== undefined,
      SENTENCES.recipientRequired,
    ),
    ['phone'],
  ),
  v.forward(
    v.partialCheck(
      [['text'], ['mediaUrl'], ['mediaId']],
      ({ text, mediaUrl, mediaId }) =>
        text !== undefined || mediaUrl !== undefined || mediaId !== undefined,
      SENTENCES.contentRequired,
    ),
    ['text'],
  ),
  v.forward(
    v.partialCheck(
      [['mediaUrl'], ['mediaId']],
      ({ mediaUrl, mediaId }) => mediaUrl === undefined || mediaId === undefined,
      SENTENCES.oneMedia,
    ),
    ['mediaId'],
  ),
  v.forward(
    v.partialCheck(
      [['text'], ['mediaUrl'], ['mediaId'], ['caption']],
      ({ text, mediaUrl, mediaId, caption }) =>
        text === undefined ||
        caption !== undefined ||
        (mediaUrl === undefined && mediaId === undefined) ||
        isWithin(text, CAPTION_MAX_CHARS),
      SENTENCES.captionTooLong,
    ),
    ['text'],
  ),
);

function isWithin(text: string, maxChars: number): boolean {
  return text.length <= maxChars || Array.from(text).length <= maxChars;
}

export const SendMessageAnswer = v.object({
  data: v.object({ messageId: id, conversationId: id, channelId: id }),
});

export const ListMessagesQuery = requestObject({
  conversationId: idText,
  ...pageEntries,
  includeNotes: v.optional(booleanField, false),
});

export const ListMessagesAnswer = v.object({
  conversationId: id,
  data: v.array(MessageSchema),
  ...pageSiblings,
});
