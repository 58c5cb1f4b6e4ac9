/**
 * The content of one `cloud` message, inbound or echoed, in the service's words. A type that the
 * service does not know is `unsupported`: it is kept and shown, never lost.
 */
import type { InboundMedia } from '../../../shared/network.ts';
import type { MessageKind } from '../../../shared/vocabulary.ts';
import { isRecord, type JsonRecord, listAt, numberAt, recordAt, textAt } from '../json-shape.ts';

export interface Content {
  readonly kind: MessageKind;
  readonly text: string | null;
  readonly media?: InboundMedia;
  readonly replyToExternalId?: string;
}

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
      return { kind: 'text', text: textAt(part, 'text') ?? '', ...reply };
    case 'reaction':
      return reaction(part);
    case 'order':
      return { kind: 'unsupported', text: textAt(part, 'text') ?? null, ...reply };
    case 'system':
      return { kind: 'unsupported', text: textAt(part, 'body') ?? null };
    default:
      return { kind: 'unsupported', text: null, ...reply };
  }
}

type Reply = { readonly replyToExternalId?: string };

function withMedia(kind: MessageKind, part: JsonRecord, reply: Reply): Content | null {
  const networkMediaId = textAt(part, 'id');
  if (networkMediaId === undefined) return null;
  const url = textAt(part, 'url');
  const fileName = textAt(part, 'filename');
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

/** What a contact tapped is what the contact said: flows match it like a typed answer. */
function interactive(part: JsonRecord, reply: Reply): Content {
  const choice = recordAt(part, textAt(part, 'type') ?? '');
  const title = textAt(choice, 'title') ?? textAt(choice, 'body');
  if (title === undefined) return { kind: 'unsupported', text: null, ...reply };
  return { kind: 'text', text: title, ...reply };
}

/** A reaction taken back has no emoji: an empty text. */
function reaction(part: JsonRecord): Content {
  const target = textAt(part, 'message_id');
  const reply = target === undefined ? {} : { replyToExternalId: target };
  return { kind: 'reaction', text: textAt(part, 'emoji') ?? '', ...reply };
}
