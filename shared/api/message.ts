/** Messages: sending and history (C2.6, C4.8, C4.9). */
import * as v from 'valibot';
import { CAPTION_MAX_CHARS, MESSAGE_TEXT_MAX_CHARS } from '../limits.ts';
import { DIRECTIONS, MESSAGE_KINDS, MESSAGE_STATUSES, PRIORITIES } from '../vocabulary.ts';
import {
  booleanField,
  choice,
  id,
  idText,
  isPlainObject,
  momentText,
  pageEntries,
  pageSiblings,
  phoneText,
  requestObject,
  textBetween,
  textUpTo,
  timestamp,
  webUrl,
} from './fields.ts';
import {
  ContactCardsBody,
  InteractiveBody,
  ifLate,
  LocationBody,
  outsideWindow,
  ReactionBody,
  ShownAuthor,
  ShownContactCard,
  ShownInteractive,
  ShownLocation,
  ShownMedia,
  ShownReaction,
  ShownTemplate,
  shownCommerce,
  TemplateBody,
} from './message-content.ts';
import { SENTENCES } from './sentences.ts';

export const MessageSchema = v.object({
  id,
  direction: v.picklist(DIRECTIONS),
  kind: v.picklist(MESSAGE_KINDS),
  text: v.nullable(v.string()),
  media: v.nullable(ShownMedia),
  author: ShownAuthor,
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
  template: v.optional(ShownTemplate),
  interactive: v.optional(ShownInteractive),
  reaction: v.optional(ShownReaction),
  location: v.optional(ShownLocation),
  contacts: v.optional(v.array(ShownContactCard)),
  ...shownCommerce,
  /** The refused message in whose place this template was sent. */
  replacesId: v.optional(id),
  /** Of a bulk message only, as is its expiry. */
  priority: v.optional(v.picklist(PRIORITIES)),
  expiresAt: v.optional(timestamp),
  scheduledAt: v.optional(timestamp),
  /** When it was released: the history has it there. */
  releasedAt: v.optional(timestamp),
  createdAt: timestamp,
  /** When it came here, if its network reported it late. */
  receivedAt: v.optional(timestamp),
  editedAt: v.optional(timestamp),
  deletedAt: v.optional(timestamp),
  error: v.optional(v.object({ code: v.string(), message: v.string() })),
});
export type Message = v.InferOutput<typeof MessageSchema>;

/** Each of them is a message by itself. */
const STRUCTURED_FIELDS = ['template', 'interactive', 'reaction', 'location', 'contacts'] as const;
const CONTENT_FIELDS = [...STRUCTURED_FIELDS, 'text', 'mediaUrl', 'mediaId'] as const;
const COMBINING_FIELDS = ['text', 'mediaUrl', 'mediaId', 'caption'] as const;

type Body = Readonly<Record<string, unknown>>;

/** The fields to drop, each with its sentence. */
function superfluous(body: Body): readonly (readonly [string, string])[] {
  const isGiven = (field: string): boolean => body[field] !== undefined;
  const [retained, ...others] = STRUCTURED_FIELDS.filter(isGiven);
  const combining = retained === undefined ? [] : COMBINING_FIELDS.filter(isGiven);
  return [
    ...[...others, ...combining].map((field) => [field, SENTENCES.standsAlone] as const),
    ...(retained === 'reaction' && isGiven('replyToId')
      ? [['replyToId', SENTENCES.reactionReply] as const]
      : []),
    ...(retained === 'template' && isGiven('fallbackTemplate')
      ? [['fallbackTemplate', SENTENCES.templateFallback] as const]
      : []),
    ...(isGiven('ifLate') && !isGiven('sendAt')
      ? [['ifLate', SENTENCES.lateWithoutTime] as const]
      : []),
    ...(isGiven('expiresAt') && body.priority !== 'bulk'
      ? [['expiresAt', SENTENCES.expiryWithoutBulk] as const]
      : []),
    ...(isGiven('onlyIf') && isGiven('sendAt')
      ? [['onlyIf', SENTENCES.conditionLater] as const]
      : []),
  ];
}

/** It runs beside the issues of single fields: all of them are reported at once. */
function standsAlone<Sent extends Body>() {
  return v.rawCheck<Sent>(({ dataset, addIssue }) => {
    const input: unknown = dataset.value;
    if (!isPlainObject(input)) return;
    for (const [key, message] of superfluous(input)) {
      const path: [v.ObjectPathItem] = [
        { type: 'object', origin: 'value', input, key, value: input[key] },
      ];
      addIssue({ message, path });
    }
  });
}

/** Conditions of a send: it has one of them at least. */
const OnlyIfBody = v.pipe(
  requestObject({
    lastMessageId: v.optional(idText),
    automation: v.optional(v.literal(true, SENTENCES.trueExpected)),
  }),
  v.check(
    ({ lastMessageId, automation }) => lastMessageId !== undefined || automation !== undefined,
    SENTENCES.conditionRequired,
  ),
);

/** Rules across fields point at the field to add or drop (D5). */
export const SendMessageBody = v.pipe(
  requestObject({
    channelId: v.optional(idText),
    phone: v.optional(phoneText),
    conversationId: v.optional(idText),
    text: v.optional(textBetween(1, MESSAGE_TEXT_MAX_CHARS)),
    mediaUrl: v.optional(webUrl),
    mediaId: v.optional(idText),
    caption: v.optional(textUpTo(CAPTION_MAX_CHARS)),
    template: v.optional(TemplateBody),
    interactive: v.optional(InteractiveBody),
    reaction: v.optional(ReactionBody),
    location: v.optional(LocationBody),
    contacts: v.optional(ContactCardsBody),
    replyToId: v.optional(idText),
    outsideWindow: v.optional(outsideWindow),
    fallbackTemplate: v.optional(TemplateBody),
    sendAt: v.optional(momentText),
    ifLate: v.optional(ifLate),
    priority: v.optional(choice(PRIORITIES)),
    expiresAt: v.optional(momentText),
    onlyIf: v.optional(OnlyIfBody),
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
      [
        ['text'],
        ['mediaUrl'],
        ['mediaId'],
        ['template'],
        ['interactive'],
        ['reaction'],
        ['location'],
        ['contacts'],
      ],
      (body) => CONTENT_FIELDS.some((field) => body[field] !== undefined),
      SENTENCES.contentRequired,
    ),
    ['text'],
  ),
  standsAlone(),
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

/** The path says everything. */
export const NoBody = requestObject({});
export const MessageAnswer = v.object({ data: MessageSchema });
export const GetMessageAnswer = v.object({ conversationId: id, data: MessageSchema });

export const ListMessagesQuery = requestObject({
  conversationId: idText,
  ...pageEntries,
  includeNotes: v.optional(booleanField, false),
  status: v.optional(choice(['scheduled'])),
});

export const ListMessagesAnswer = v.object({
  conversationId: id,
  data: v.array(MessageSchema),
  ...pageSiblings,
});
