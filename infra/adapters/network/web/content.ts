/**
 * Converts the content of one bridge message to the service's form. The bridge may not have
 * downloaded a file (`media: null`, or one without `url`). Then the raw message still has the type,
 * and the file is requested later by the message's id.
 */
import type { InboundMedia } from '../../../../shared/ports/network.ts';
import type { MessageKind } from '../../../../shared/vocabulary.ts';
import { isRecord, type JsonRecord, listAt, recordAt, textAt } from '../webhook-body.ts';
import type { MessageIds } from './message-id.ts';

const UNKNOWN_MIME = 'application/octet-stream';
const CARD_NAME = /^FN(?:;[^:]*)?:(.+)$/im;
const CARD_PHONES = /^(?:item\d+\.)?TEL(?:;[^:]*)?:(.+)$/gim;
/** The raw messages' parts that hold a file. */
const FILE_PARTS = [
  'imageMessage',
  'videoMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
];

export interface Content {
  readonly kind: MessageKind;
  readonly text: string | null;
  readonly media?: InboundMedia;
}

export function contentOf(message: JsonRecord, ids: MessageIds): Content {
  const body = textAt(message, 'body');
  if (message.hasMedia === true) {
    const media = mediaOf(message, ids);
    return { kind: kindOf(media.mimeType, message), text: body ?? null, media };
  }
  if (isRecord(message.location)) return { kind: 'location', text: placeOf(message.location) };
  const cards = listAt(message, 'vCards').filter((card) => typeof card === 'string');
  if (cards.length > 0) return { kind: 'contact', text: cardsText(cards) ?? body ?? null };
  return body === undefined ? { kind: 'unsupported', text: null } : { kind: 'text', text: body };
}

function mediaOf(message: JsonRecord, { externalId, fullId }: MessageIds): InboundMedia {
  const media = recordAt(message, 'media');
  const part = rawPart(message);
  const url = textAt(media, 'url');
  const inRaw = textAt(part, 'fileName') ?? textAt(part, 'filename');
  const fileName = textAt(media, 'filename') ?? inRaw;
  return {
    // The whole id: it names the chat too, which asking again needs.
    networkMediaId: fullId ?? externalId,
    mimeType: textAt(media, 'mimetype') ?? textAt(part, 'mimetype') ?? UNKNOWN_MIME,
    ...(url === undefined ? {} : { url }),
    ...(fileName === undefined ? {} : { fileName }),
  };
}

/** Description of the file in the raw message of NOWEB or GOWS; on WEBJS that message itself. */
function rawPart(message: JsonRecord): JsonRecord {
  const data = recordAt(message, '_data');
  for (const content of [recordAt(data, 'message'), recordAt(data, 'Message')]) {
    const name = FILE_PARTS.find((part) => isRecord(content[part]));
    if (name !== undefined) return recordAt(content, name);
  }
  return data;
}

function kindOf(mimeType: string, message: JsonRecord): MessageKind {
  if (mimeType.startsWith('image/webp')) return 'sticker';
  if (textAt(recordAt(message, '_data'), 'type') === 'sticker') return 'sticker';
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

/** `Name, address (lat, lng)`, with whatever is there. */
function placeOf(location: JsonRecord): string | null {
  const latitude = textAt(location, 'latitude');
  const longitude = textAt(location, 'longitude');
  const point = latitude && longitude ? `${latitude}, ${longitude}` : '';
  const named = [textAt(location, 'name'), textAt(location, 'address')].filter(Boolean);
  const place = named.length > 0 ? named.join(', ') : (textAt(location, 'description') ?? '');
  if (place === '') return point || null;
  return point ? `${place} (${point})` : place;
}

/** A line for each card: its name and its phones. */
function cardsText(cards: readonly string[]): string | null {
  const lines = cards.map((card) => {
    const phones = [...card.matchAll(CARD_PHONES)].map(([, phone]) => phone?.trim());
    return [CARD_NAME.exec(card)?.[1]?.trim(), ...phones].filter(Boolean).join(' ');
  });
  const told = lines.filter((line) => line !== '');
  return told.length === 0 ? null : told.join('\n');
}
