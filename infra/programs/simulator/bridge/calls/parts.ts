/**
 * The parts of the bridge's sends: what each kind must have, and how the contact sees it.
 *
 * Source: WAHA's OpenAPI 2026.7.1 (`waha-docs`, static/swagger/openapi.json):
 * MessageLocationRequest, MessageContactVcardRequest, VCardContact, Contact.
 */
import {
  isRecord,
  type JsonRecord,
  listAt,
  recordAt,
  textAt,
} from '../../../../adapters/network/webhook-body.ts';
import type { Reply } from '../../cloud/schema/errors.ts';
import type { SentDetails, SentMedia } from '../../logs/sent.ts';
import type { MediaKind } from '../../network/inbound.ts';
import { digestOf, sentMedia } from '../../state/media-store.ts';
import { bareId, isHidden } from '../ids.ts';
import type { Card, Place } from '../message.ts';
import { refusal } from './errors.ts';

export type SendKind = 'text' | MediaKind | 'location' | 'contacts';

/** Properties of the newer sends; another one is refused. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  location: ['session', 'chatId', 'id', 'latitude', 'longitude', 'title', 'reply_to'],
  contacts: ['session', 'chatId', 'id', 'contacts', 'reply_to'],
};

export function problemOf(body: JsonRecord, kind: SendKind): Reply | null {
  const chat = chatProblem(body);
  if (chat !== null) return chat;
  const unknown = unknownProperty(body, KNOWN[kind]);
  if (unknown !== null) return unknown;
  if (kind === 'text') {
    return textAt(body, 'text') === undefined ? refusal(400, 'text should not be empty') : null;
  }
  if (kind === 'location') return placeProblem(body);
  if (kind === 'contacts') {
    const isFit =
      cardsIn(body).length > 0 && cardsIn(body).length === listAt(body, 'contacts').length;
    return isFit ? null : refusal(400, 'contacts should have vcard, or fullName and phoneNumber');
  }
  const file = recordAt(body, 'file');
  const given = isRecord(body.file) && (textAt(file, 'url') ?? textAt(file, 'data'));
  return given ? null : refusal(400, 'file should have url or data');
}

export function chatProblem(body: JsonRecord): Reply | null {
  const chat = textAt(body, 'chatId') ?? '';
  const isFit = /@(c\.us|lid|g\.us)$/.test(chat) && !(isHidden(chat) && chat.startsWith('@'));
  return isFit ? null : refusal(400, 'chatId is not valid');
}

/** @param known undefined: every property is taken */
export function unknownProperty(
  body: JsonRecord,
  known: readonly string[] | undefined,
): Reply | null {
  const name = known && Object.keys(body).find((key) => !known.includes(key));
  return name === undefined ? null : refusal(400, `property ${name} should not exist`);
}

function placeProblem(body: JsonRecord): Reply | null {
  const { latitude, longitude, title } = body;
  const isWithin = (value: unknown, most: number) =>
    typeof value === 'number' && Math.abs(value) <= most;
  if (!isWithin(latitude, 90)) return refusal(400, 'latitude must be a number of -90 to 90');
  if (!isWithin(longitude, 180)) return refusal(400, 'longitude must be a number of -180 to 180');
  return typeof title === 'string' ? null : refusal(400, 'title must be a string');
}

export function placeIn(body: JsonRecord): Place {
  const { latitude, longitude } = body;
  const title = textAt(body, 'title');
  return {
    latitude: typeof latitude === 'number' ? latitude : 0,
    longitude: typeof longitude === 'number' ? longitude : 0,
    ...(title === undefined ? {} : { name: title }),
  };
}

/** Each card with a name and a phone; others are left out. */
export function cardsIn(body: JsonRecord): readonly Card[] {
  return listAt(body, 'contacts')
    .filter(isRecord)
    .flatMap((contact) => {
      const vcard = textAt(contact, 'vcard') ?? '';
      const name = /^FN:(.+)$/m.exec(vcard)?.[1]?.trim() ?? textAt(contact, 'fullName');
      const written = /^TEL[^:]*:(.+)$/m.exec(vcard)?.[1] ?? textAt(contact, 'phoneNumber') ?? '';
      const phone = /waid=(\d+)/.exec(vcard)?.[1] ?? written.replace(/\D/g, '');
      return name === undefined || phone === '' ? [] : [{ name, phone }];
    });
}

/** The file that travels with a message. */
export function mediaIn(body: JsonRecord): SentMedia | undefined {
  const file = recordAt(body, 'file');
  const data = textAt(file, 'data');
  if (data === undefined) return undefined;
  const bytes = Buffer.from(data, 'base64');
  const mimeType = textAt(file, 'mimetype') ?? 'application/octet-stream';
  const fileName = textAt(file, 'filename');
  const named = fileName === undefined ? {} : { fileName };
  return sentMedia({ bytes, mimeType, sha256: digestOf(bytes), ...named });
}

export function detailsOf(body: JsonRecord, kind: SendKind): SentDetails {
  const quoted = textAt(body, 'reply_to');
  const cards = kind === 'contacts' ? cardsIn(body) : [];
  return {
    ...(kind === 'location' ? { location: placeIn(body) } : {}),
    ...(cards.length === 0
      ? {}
      : { contacts: cards.map(({ name, phone }) => ({ name, phones: [phone] })) }),
    ...(quoted === undefined ? {} : { replyTo: bareId(quoted) }),
  };
}
