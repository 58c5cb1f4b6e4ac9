/**
 * The content of one `cloud` message, inbound or echoed, in the service's form. A type that the
 * service does not know is `unsupported`: it is kept and shown, never lost.
 */
import type { InboundMedia } from '../../../../shared/ports/network.ts';
import type { MessageKind } from '../../../../shared/vocabulary.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  numberAt,
  parseRecord,
  recordAt,
  textAt,
} from '../webhook-body.ts';

export interface Content {
  readonly kind: MessageKind;
  readonly text: string | null;
  readonly media?: InboundMedia;
  readonly replyToExternalId?: string;
}

/** A voice message names no file; its name is where a person sees that it is one. */
const VOICE = 'mensagem-de-voz.ogg';

/** Null when a media message names no media: such an entry is malformed. */
export function contentOf(message: JsonRecord): Content | null {
  const type = textAt(message, 'type') ?? '';
  const part = recordAt(message, type);
  const replyTo = textAt(recordAt(message, 'context'), 'id');
  const reply = replyTo === undefined ? {} : { replyToExternalId: replyTo };
  switch (type) {
    case 'text':
      return { kind: 'text', text: textAt(part, 'body') ?? '', ...reply };
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
    case 'sticker':
      return withMedia(type, part, reply);
    case 'location':
      return { kind: 'location', text: locationText(part), ...reply };
    case 'contacts':
      return { kind: 'contact', text: contactsText(listAt(message, 'contacts')), ...reply };
    case 'interactive':
      return interactive(part, reply);
    case 'button':
      return {
        kind: 'text',
        text: textAt(part, 'text') ?? textAt(part, 'payload') ?? '',
        ...reply,
      };
    case 'reaction':
      return reaction(part);
    case 'order':
      return worded(orderText(part), reply);
    default:
      return { kind: 'unsupported', text: null, ...reply };
  }
}

/** The text, or the caption, of an edited message; its media stay the original's. */
export function editedTextOf(message: JsonRecord): string | null {
  const type = textAt(message, 'type') ?? '';
  const part = recordAt(message, type);
  return type === 'text' ? (textAt(part, 'body') ?? '') : (textAt(part, 'caption') ?? null);
}

/** The advertisement or post behind the message: headline, body and address, a line each. */
export function referralOf(message: JsonRecord): string | null {
  const referral = recordAt(message, 'referral');
  return linesOf(['headline', 'body', 'source_url'].map((field) => textAt(referral, field)));
}

type Reply = { readonly replyToExternalId?: string };

function withMedia(kind: MessageKind, part: JsonRecord, reply: Reply): Content | null {
  const networkMediaId = textAt(part, 'id');
  if (networkMediaId === undefined) return null;
  const url = textAt(part, 'url');
  const fileName = textAt(part, 'filename') ?? (part.voice === true ? VOICE : undefined);
  const sizeBytes = numberAt(part, 'file_size');
  const media: InboundMedia = {
    networkMediaId,
    mimeType: textAt(part, 'mime_type') ?? 'application/octet-stream',
    ...(url === undefined ? {} : { url }),
    ...(fileName === undefined ? {} : { fileName }),
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
  };
  return { kind, text: textAt(part, 'caption') ?? null, media, ...reply };
}

/** `Name, address (lat, lng)`, with whatever is there. */
function locationText(part: JsonRecord): string | null {
  const place = [textAt(part, 'name'), textAt(part, 'address')].filter(
    (word) => word !== undefined,
  );
  const latitude = textAt(part, 'latitude');
  const longitude = textAt(part, 'longitude');
  const point = latitude && longitude ? `${latitude}, ${longitude}` : '';
  if (place.length === 0) return point || null;
  return point ? `${place.join(', ')} (${point})` : place.join(', ');
}

function contactsText(contacts: readonly unknown[]): string | null {
  const lines: string[] = [];
  for (const contact of contacts) {
    if (!isRecord(contact)) continue;
    const phones = listAt(contact, 'phones').flatMap((phone) =>
      isRecord(phone) ? [textAt(phone, 'phone') ?? textAt(phone, 'wa_id') ?? ''] : [],
    );
    const name = textAt(recordAt(contact, 'name'), 'formatted_name');
    const line = [name, ...phones].filter((word) => word).join(' ');
    if (line !== '') lines.push(line);
  }
  return lines.length === 0 ? null : lines.join('\n');
}

/**
 * The title that a contact tapped counts as the contact's text: flows match it like a typed answer.
 */
function interactive(part: JsonRecord, reply: Reply): Content {
  const choice = recordAt(part, textAt(part, 'type') ?? '');
  const chosen = textAt(choice, 'title') ?? formText(choice) ?? textAt(choice, 'body');
  return worded(chosen ?? textAt(choice, 'id') ?? null, reply);
}

function worded(text: string | null, reply: Reply): Content {
  return text === null ? { kind: 'unsupported', text, ...reply } : { kind: 'text', text, ...reply };
}

/** The answers of a form, `name: value` a line; its token is the network's. */
function formText(choice: JsonRecord): string | null {
  const answers = parseRecord(textAt(choice, 'response_json') ?? '') ?? {};
  return linesOf(
    Object.entries(answers).map(([name, value]) =>
      name === 'flow_token' ? undefined : `${name}: ${valueText(value)}`,
    ),
  );
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The contact's text, then `quantity × product (price currency)`, a line for each product. */
function orderText(part: JsonRecord): string | null {
  const products = listAt(part, 'product_items').filter(isRecord).map(productText);
  return linesOf([textAt(part, 'text'), ...products]);
}

function productText(item: JsonRecord): string | undefined {
  const product = textAt(item, 'product_retailer_id');
  if (product === undefined) return undefined;
  const price = textAt(item, 'item_price');
  const cost =
    price === undefined ? '' : ` (${[price, textAt(item, 'currency')].join(' ').trim()})`;
  return `${textAt(item, 'quantity') ?? '1'} × ${product}${cost}`;
}

function linesOf(lines: readonly (string | undefined)[]): string | null {
  const written = lines.filter((line) => line !== undefined);
  return written.length === 0 ? null : written.join('\n');
}

/** A removed reaction has no emoji: an empty text. */
function reaction(part: JsonRecord): Content {
  const target = textAt(part, 'message_id');
  const reply = target === undefined ? {} : { replyToExternalId: target };
  return { kind: 'reaction', text: textAt(part, 'emoji') ?? '', ...reply };
}
