/**
 * Meta's validation of `POST /{phoneNumberId}/messages`, from its documentation. It is pure: a
 * request becomes a message as the network understands it, a read mark, or a refusal.
 *
 * Sources: facebook/openapi (v23.0), BaseMessageProperties and the schema of each type; Meta,
 * "Messages", "Typing indicators", "Audio messages" (2026). Without `type` a message is a text.
 */

import * as v from 'valibot';
import { type JsonRecord, parseRecord } from '../../../../adapters/network/webhook-body.ts';
import { accountNumber } from '../../network/account-number.ts';
import { graphError, type Reply } from './errors.ts';
import {
  type InteractiveInput,
  interactiveSchema,
  type ShownInteractive,
  shownInteractive,
} from './interactive.ts';
import { mediaOf, refusalOf, someText, textUpTo } from './shape.ts';
import { contactsSchema, locationSchema, reactionSchema } from './simple-contents.ts';
import { type TemplateInput, templateSchema } from './template-message.ts';

const TEXT_MAX_CHARS = 4_096;
const CAPTION_MAX_CHARS = 1_024;
const CALLBACK_MAX_CHARS = 512;
const PARAMETER = 100;

const PHONE = /^\d{7,15}$/;
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

const caption = { caption: v.optional(textUpTo(CAPTION_MAX_CHARS, PARAMETER)) };
const textSchema = v.strictObject({
  body: textUpTo(TEXT_MAX_CHARS, PARAMETER),
  preview_url: v.optional(v.boolean()),
});
const MEDIA = {
  image: mediaOf(caption),
  video: mediaOf(caption),
  audio: mediaOf({ voice: v.optional(v.boolean()) }),
  document: mediaOf({ ...caption, filename: v.optional(someText) }),
  sticker: mediaOf({}),
};

const ENVELOPE = {
  messaging_product: v.literal('whatsapp', `#${PARAMETER} must be whatsapp.`),
  recipient_type: v.optional(v.literal('individual', "must be one of {'individual'}.")),
  to: v.optional(
    v.pipe(
      someText,
      v.check((to) => PHONE.test(digitsOf(to)), 'is not a valid phone number.'),
    ),
  ),
  recipient: v.optional(
    v.pipe(
      someText,
      v.check((id) => USER_ID.test(id), 'is not a valid user id.'),
    ),
  ),
  context: v.optional(v.strictObject({ message_id: someText })),
  biz_opaque_callback_data: v.optional(textUpTo(CALLBACK_MAX_CHARS, PARAMETER)),
  type: v.optional(v.string()),
};
const KEYS: ReadonlySet<string> = new Set(Object.keys(ENVELOPE));
const envelopeSchema = v.object(ENVELOPE);

const readSchema = v.strictObject({
  messaging_product: ENVELOPE.messaging_product,
  status: v.literal('read'),
  message_id: someText,
  typing_indicator: v.optional(v.strictObject({ type: v.literal('text') })),
});

/** A card of a contact. */
export interface SentCard {
  readonly name: string;
  readonly phones: readonly string[];
}

/** A message's content as the contact sees it. */
export interface GraphContent {
  readonly kind: string;
  readonly text: string | null;
  /** The upload that is sent. */
  readonly mediaId?: string | undefined;
  readonly template?: TemplateInput;
  readonly interactive?: ShownInteractive;
  readonly reaction?: { readonly messageId: string; readonly emoji: string };
  readonly location?: v.InferOutput<typeof locationSchema>;
  readonly contacts?: readonly SentCard[];
}

export interface GraphSend extends GraphContent {
  readonly type: 'message';
  /** Bare digits, or the opaque id of `recipient`. */
  readonly to: string;
  /** As it was written. */
  readonly input: string;
  readonly replyTo?: string | undefined;
  readonly callbackData?: string | undefined;
}

interface ReadMark {
  readonly type: 'mark-read';
  readonly messageId: string;
  readonly typing: boolean;
}

interface Invalid {
  readonly type: 'invalid';
  readonly reply: Reply;
}

export type GraphMessage = GraphSend | ReadMark | Invalid;

/** Reads a send; `invalid` contains the error in Graph's wording. */
export function readMessage(json: string): GraphMessage {
  const body = parseRecord(json);
  if (body === null) return invalid(PARAMETER, 'The request body is not a JSON object.');
  if (body.messaging_product === undefined) {
    return invalid(PARAMETER, 'The parameter messaging_product is required.');
  }
  if (body.status !== undefined) return readMark(body);
  const kind = typeof body.type === 'string' ? body.type : 'text';
  const envelope = v.safeParse(envelopeSchema, body);
  if (!envelope.success) return { type: 'invalid', reply: refusalOf(envelope.issues[0]) };
  const { to, recipient, context, biz_opaque_callback_data: callbackData } = envelope.output;
  const input = to ?? recipient;
  if (input === undefined) return invalid(131008, 'The parameter to is required.');
  const content = contentOf(kind, body[kind]);
  if ('type' in content) return content;
  const unexpected = Object.keys(body).find((key) => key !== kind && !KEYS.has(key));
  if (unexpected !== undefined) {
    return invalid(PARAMETER, `Unexpected key "${unexpected}" on the request.`);
  }
  return {
    type: 'message',
    ...content,
    to: to === undefined ? input : accountNumber(digitsOf(to)),
    input,
    callbackData,
    replyTo: context?.message_id,
  };
}

function readMark(body: JsonRecord): ReadMark | Invalid {
  const parsed = v.safeParse(readSchema, body);
  if (!parsed.success) return { type: 'invalid', reply: refusalOf(parsed.issues[0]) };
  const { message_id: messageId, typing_indicator: typing } = parsed.output;
  return { type: 'mark-read', messageId, typing: typing !== undefined };
}

function contentOf(kind: string, given: unknown): GraphContent | Invalid {
  const read = readerOf(kind, given);
  switch (kind) {
    case 'text':
      return read(textSchema, ({ body }) => ({ text: body }));
    case 'image':
    case 'video':
    case 'document':
      return read(MEDIA[kind], (media) => ({ text: media.caption ?? null, mediaId: media.id }));
    case 'audio':
    case 'sticker':
      return read(MEDIA[kind], ({ id }) => ({ text: null, mediaId: id }));
    case 'template':
      return read(templateSchema, (template) => ({ text: null, template }));
    case 'interactive':
      return read(interactiveSchema, (interactive) => ({
        text: interactive.body.text,
        interactive: shownInteractive(interactive),
        mediaId: headerUpload(interactive),
      }));
    case 'reaction':
      return read(reactionSchema, ({ message_id: messageId, emoji }) => ({
        text: null,
        reaction: { messageId, emoji },
      }));
    case 'location':
      return read(locationSchema, (location) => ({ text: null, location }));
    case 'contacts':
      return read(contactsSchema, (contacts) => ({ text: null, contacts: cardsOf(contacts) }));
    default:
      return invalid(131009, `Param type must be one of the message types - got "${kind}".`);
  }
}

function readerOf(kind: string, given: unknown) {
  return <S extends v.GenericSchema>(
    schema: S,
    shown: (output: v.InferOutput<S>) => Omit<GraphContent, 'kind'>,
  ): GraphContent | Invalid => {
    if (given === undefined) return invalid(131008, `The parameter ${kind} is required.`);
    const parsed = v.safeParse(schema, given);
    if (parsed.success) return { kind, ...shown(parsed.output) };
    return { type: 'invalid', reply: refusalOf(parsed.issues[0], [kind]) };
  };
}

function headerUpload({ header }: InteractiveInput): string | undefined {
  switch (header?.type) {
    case 'image':
      return header.image.id;
    case 'video':
      return header.video.id;
    case 'document':
      return header.document.id;
    default:
      return undefined;
  }
}

function cardsOf(contacts: v.InferOutput<typeof contactsSchema>): readonly SentCard[] {
  return contacts.map(({ name, phones = [] }) => ({
    name: name.formatted_name,
    phones: phones.flatMap(({ phone }) => phone ?? []),
  }));
}

function digitsOf(phone: string): string {
  return phone.replace(/[\s()+-]/g, '');
}

function invalid(code: number, details: string): Invalid {
  return { type: 'invalid', reply: graphError(code, details) };
}
