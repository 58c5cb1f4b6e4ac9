/**
 * The content of one `cloud` message, inbound or echoed, in the service's form. A type that the
 * service does not know is `unsupported`: it is kept and shown, never lost.
 */

import type {
  ContactCard,
  InteractiveAnswer,
  Location,
} from '../../../../shared/message-content.ts';
import type { InboundMedia } from '../../../../shared/ports/network-event.ts';
import { contactCardsText } from '../../../../shared/text/content-text.ts';
import { withoutControl } from '../../../../shared/text/control-characters.ts';
import type { MessageKind } from '../../../../shared/vocabulary.ts';
import { placeOf } from '../place.ts';
import {
  fileNameAt,
  isRecord,
  type JsonRecord,
  listAt,
  numberAt,
  parseRecord,
  recordAt,
  textAt,
} from '../webhook-body.ts';
import { cloudErrorOf, lostMediaReason } from './send.ts';

export interface Content {
  readonly kind: MessageKind;
  readonly text: string | null;
  readonly media?: InboundMedia;
  readonly replyToExternalId?: string;
  readonly answer?: InteractiveAnswer;
  readonly location?: Location;
  readonly contacts?: readonly ContactCard[];
  /** Why the network has no media for it. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** A voice message names no file; its name is where a person sees that it is one. */
const VOICE = 'mensagem-de-voz.ogg';

/** Null when a media message names neither media nor why it has none: it is malformed. */
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
      return withMedia(type, part, reply) ?? withoutMedia(type, message, reply);
    case 'location':
      return { kind: 'location', ...placeOf(part), ...reply };
    case 'contacts':
      return cards(message, reply);
    case 'interactive':
      return interactive(part, reply);
    case 'button':
      return quickReply(part, reply);
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
  const fileName = fileNameAt(part, 'filename') ?? (part.voice === true ? VOICE : undefined);
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

/** The network could not take the contact's file: the message is kept, with the reason. */
function withoutMedia(kind: MessageKind, message: JsonRecord, reply: Reply): Content | null {
  const found = listAt(message, 'errors').find(isRecord);
  const error = found === undefined ? null : cloudErrorOf(found);
  if (error === null) return null;
  const text = textAt(recordAt(message, kind), 'caption') ?? null;
  const told = { code: String(error.code), message: lostMediaReason(error) };
  return { kind, text, error: told, ...reply };
}

/** A card that shows neither a name nor a number is none. */
function cardsOf(message: JsonRecord): ContactCard[] {
  return listAt(message, 'contacts').filter(isRecord).map(cardOf).filter(isSomeone);
}

function isSomeone({ name, phones }: ContactCard): boolean {
  return name !== '' || phones.length > 0;
}

function cardOf(contact: JsonRecord): ContactCard {
  const phones = listAt(contact, 'phones').flatMap((phone) =>
    isRecord(phone) ? [textAt(phone, 'phone') ?? textAt(phone, 'wa_id') ?? ''] : [],
  );
  const [email] = listAt(contact, 'emails').flatMap((each) =>
    isRecord(each) ? (textAt(each, 'email') ?? []) : [],
  );
  const organization = textAt(recordAt(contact, 'org'), 'company');
  return {
    name: withoutControl(textAt(recordAt(contact, 'name'), 'formatted_name') ?? ''),
    phones: phones.filter((phone) => phone !== ''),
    ...(email === undefined ? {} : { email }),
    ...(organization === undefined ? {} : { organization }),
  };
}

function cards(message: JsonRecord, reply: Reply): Content {
  const contacts = cardsOf(message);
  const shown = contacts.length === 0 ? {} : { contacts };
  return { kind: 'contact', text: contactCardsText(contacts) || null, ...shown, ...reply };
}

/**
 * The title that a contact tapped counts as the contact's text: flows match it like a typed answer.
 */
function interactive(part: JsonRecord, reply: Reply): Content {
  const type = textAt(part, 'type') ?? '';
  const choice = recordAt(part, type);
  const chosenBy = ANSWERS.get(type);
  const answer = chosenBy === undefined ? null : answerOf(choice, chosenBy);
  if (answer !== null) return { kind: 'text', text: answer.title, answer, ...reply };
  if (type === 'call_permission_reply') return worded(callPermissionText(choice), reply);
  const chosen = textAt(choice, 'title') ?? formText(choice) ?? textAt(choice, 'body');
  return worded(chosen ?? textAt(choice, 'id') ?? null, reply);
}

/** What the contact answered to our wish to call; flows compare it like a typed answer. */
function callPermissionText(choice: JsonRecord): string | null {
  switch (textAt(choice, 'response')) {
    case 'accept':
      return choice.is_permanent === true ? 'Permitiu ligações sempre.' : 'Permitiu ligações.';
    case 'reject':
      return 'Recusou ligações.';
    default:
      return null;
  }
}

const ANSWERS: ReadonlyMap<string, InteractiveAnswer['type']> = new Map([
  ['button_reply', 'button'],
  ['list_reply', 'row'],
]);

/** Null for a choice without a title: nothing shows what was chosen. */
function answerOf(choice: JsonRecord, type: InteractiveAnswer['type']): InteractiveAnswer | null {
  const title = textAt(choice, 'title');
  const id = textAt(choice, 'id');
  if (title === undefined || id === undefined) return null;
  const description = textAt(choice, 'description');
  return { type, id, title, ...(description === undefined ? {} : { description }) };
}

/** A button of a template: its payload is the id. */
function quickReply(part: JsonRecord, reply: Reply): Content {
  const payload = textAt(part, 'payload');
  const title = textAt(part, 'text') ?? payload ?? '';
  const answer =
    title === '' ? {} : { answer: { type: 'button', id: payload ?? title, title } as const };
  return { kind: 'text', text: title, ...answer, ...reply };
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
