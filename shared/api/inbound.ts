/** The inbound webhook of a channel (C4.20). */
import * as v from 'valibot';
import {
  CONTACT_FIELD_VALUE_MAX_CHARS,
  CONTACT_FIELDS_MAX,
  CONTACT_NAME_MAX_CHARS,
  MESSAGE_TEXT_MAX_CHARS,
  TAGS_MAX_PER_REQUEST,
  WEBHOOK_FIELD_KEY_MAX_CHARS,
} from '../limits.ts';
import {
  booleanField,
  emailOrEmpty,
  formNameUpTo,
  id,
  idText,
  listUpTo,
  phoneText,
  requestObject,
  tagText,
  textBetween,
  textMap,
  textUpTo,
} from './fields.ts';

const MESSAGE_OR_FLOW = 'Use message ou flowId, nunca os dois.';

/** Unlike the contact's own endpoint, this one bounds the keys as well. */
const fields = textMap({
  key: textUpTo(WEBHOOK_FIELD_KEY_MAX_CHARS),
  value: textUpTo(CONTACT_FIELD_VALUE_MAX_CHARS),
  max: CONTACT_FIELDS_MAX,
});

export const InboundBody = v.pipe(
  requestObject({
    phone: phoneText,
    name: v.optional(formNameUpTo(CONTACT_NAME_MAX_CHARS)),
    email: v.optional(emailOrEmpty),
    message: v.optional(textBetween(1, MESSAGE_TEXT_MAX_CHARS)),
    flowId: v.optional(idText),
    tags: v.optional(listUpTo(tagText, TAGS_MAX_PER_REQUEST)),
    fields: v.optional(fields),
    optIn: v.optional(booleanField),
  }),
  v.forward(
    v.partialCheck(
      [['message'], ['flowId']],
      ({ message, flowId }) => message === undefined || flowId === undefined,
      MESSAGE_OR_FLOW,
    ),
    ['flowId'],
  ),
);
export type Inbound = v.InferOutput<typeof InboundBody>;

export const InboundAnswer = v.object({
  data: v.object({
    contactId: id,
    created: v.boolean(),
    channelId: id,
    conversationId: v.optional(id),
    messageId: v.optional(id),
    flow: v.optional(v.literal('started')),
  }),
});

/** The contract of the POST, in the answer of the webhook's GET (C4.19, D8). */
export const InboundContractAnswer = v.object({
  data: v.object({
    method: v.literal('POST'),
    url: v.string(),
    authentication: v.object({
      required: v.boolean(),
      headers: v.array(v.string()),
      keys: v.string(),
    }),
    /** JSON Schema of the body. */
    schema: v.record(v.string(), v.unknown()),
    /** A body that would be accepted. */
    sample: v.record(v.string(), v.unknown()),
    answers: v.array(v.object({ status: v.number(), when: v.string() })),
  }),
});
