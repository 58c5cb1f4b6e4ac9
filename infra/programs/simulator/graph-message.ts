/** Meta's validation of `POST /{phoneNumberId}/messages`, as strict as the real one. */
import {
  isRecord,
  type JsonRecord,
  parseRecord,
  recordAt,
  textAt,
} from '../../adapters/network/webhook-body.ts';
import { graphError, type Reply } from './graph-errors.ts';

const TEXT_MAX_CHARS = 4_096;
const CAPTION_MAX_CHARS = 1_024;
const CALLBACK_MAX_CHARS = 512;
const MEDIA_TYPES = ['image', 'audio', 'video', 'document', 'sticker'];

export type GraphMessage =
  | {
      readonly type: 'message';
      readonly kind: string;
      readonly text: string | null;
      /** The upload that is sent. */
      readonly mediaId?: string;
      /** Bare digits, or the opaque id of `recipient`. */
      readonly to: string;
      /** As it was written. */
      readonly input: string;
      readonly callbackData?: string;
    }
  | { readonly type: 'mark-read' }
  | { readonly type: 'invalid'; readonly reply: Reply };

/** Reads a send; `invalid` contains the error in Graph's wording. */
export function readMessage(json: string): GraphMessage {
  const body = parseRecord(json);
  if (body === null) return invalid(100, 'The request body is not a JSON object.');
  if (body.messaging_product !== 'whatsapp') {
    return invalid(100, 'The parameter messaging_product is required.');
  }
  if (body.status === 'read') {
    return textAt(body, 'message_id') === undefined
      ? invalid(131008, 'The parameter message_id is required.')
      : { type: 'mark-read' };
  }
  const problem = commonProblem(body);
  if (problem !== null) return problem;
  return readContent(body);
}

function commonProblem(body: JsonRecord): GraphMessage | null {
  const type = body.recipient_type;
  if (type !== undefined && type !== 'individual') {
    return invalid(131009, "Param recipient_type must be one of {'individual'}.");
  }
  const callback = body.biz_opaque_callback_data;
  if (callback !== undefined) {
    if (typeof callback !== 'string') return invalid(100, 'biz_opaque_callback_data is a string.');
    if (callback.length > CALLBACK_MAX_CHARS) {
      return invalid(100, `biz_opaque_callback_data has at most ${CALLBACK_MAX_CHARS} characters.`);
    }
  }
  const { context } = body;
  if (context !== undefined && (!isRecord(context) || !textAt(context, 'message_id'))) {
    return invalid(131009, "Param context['message_id'] must be a string.");
  }
  return null;
}

function readContent(body: JsonRecord): GraphMessage {
  const recipient = recipientOf(body);
  if (recipient === null) return invalid(131008, 'The parameter to is required.');
  if (recipient.to === '') return invalid(131009, 'The parameter to is not a valid phone number.');
  const kind = textAt(body, 'type') ?? 'text';
  const part = recordAt(body, kind);
  const callbackData = textAt(body, 'biz_opaque_callback_data');
  const message = {
    type: 'message' as const,
    kind,
    ...recipient,
    ...(callbackData === undefined ? {} : { callbackData }),
  };
  if (kind === 'text') {
    const text = typeof part.body === 'string' ? part.body : '';
    const problem = textProblem(text);
    return problem ?? { ...message, text };
  }
  if (MEDIA_TYPES.includes(kind)) {
    const problem = mediaProblem(kind, part);
    const mediaId = textAt(part, 'id');
    const named = mediaId === undefined ? {} : { mediaId };
    return problem ?? { ...message, ...named, text: textAt(part, 'caption') ?? null };
  }
  if (kind === 'template' && textAt(part, 'name') && textAt(recordAt(part, 'language'), 'code')) {
    return { ...message, text: null };
  }
  return invalid(131009, `Param type or its ${kind} object is not valid.`);
}

function textProblem(text: string): GraphMessage | null {
  if (text === '') return invalid(131008, "The parameter text['body'] is required.");
  if ([...text].length > TEXT_MAX_CHARS) {
    return invalid(100, `Param text['body'] must be at most ${TEXT_MAX_CHARS} characters long.`);
  }
  return null;
}

function mediaProblem(kind: string, part: JsonRecord): GraphMessage | null {
  const id = textAt(part, 'id');
  const link = textAt(part, 'link');
  if ((id === undefined) === (link === undefined)) {
    return invalid(131008, `The ${kind} object takes either id or link.`);
  }
  const caption = textAt(part, 'caption');
  if (caption === undefined) return null;
  if (kind === 'audio' || kind === 'sticker') {
    return invalid(100, `Unexpected key "caption" on param "${kind}".`);
  }
  return [...caption].length > CAPTION_MAX_CHARS
    ? invalid(100, `Param ${kind}['caption'] must be at most ${CAPTION_MAX_CHARS} characters.`)
    : null;
}

/** `to` wins over `recipient`; an empty `to` means an invalid one. */
function recipientOf(body: JsonRecord): { to: string; input: string } | null {
  const phone = textAt(body, 'to');
  if (phone !== undefined) {
    const digits = phone.replace(/[\s()+-]/g, '');
    return { to: /^\d{7,15}$/.test(digits) ? digits : '', input: phone };
  }
  const opaque = textAt(body, 'recipient');
  if (opaque === undefined) return null;
  return {
    to: /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(opaque) ? opaque : '',
    input: opaque,
  };
}

function invalid(code: number, details: string): GraphMessage {
  return { type: 'invalid', reply: graphError(code, details) };
}
