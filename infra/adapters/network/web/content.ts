/**
 * Converts the content of one bridge message to the service's form. The bridge may not have
 * downloaded a file (`media: null`, or one without `url`). Then the raw message still has the type,
 * and the file is requested later by the message's id.
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
  recordAt,
  textAt,
} from '../webhook-body.ts';
import type { MessageIds } from './message-id.ts';
import { answerOf } from './raw/answers.ts';
import { orderIn } from './raw/commerce.ts';
import { rawContentOf } from './raw/raw-message.ts';
import { cardOf } from './vcard.ts';

const UNKNOWN_MIME = 'application/octet-stream';
/** The raw messages' parts that hold a file. */
const FILE_PARTS = [
  'imageMessage',
  'videoMessage',
  'ptvMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
];

export interface Content {
  readonly kind: MessageKind;
  readonly text: string | null;
  readonly media?: InboundMedia;
  readonly answer?: InteractiveAnswer;
  readonly location?: Location;
  readonly contacts?: readonly ContactCard[];
}

export function contentOf(message: JsonRecord, ids: MessageIds): Content {
  const body = textAt(message, 'body');
  if (message.hasMedia === true) {
    const media = mediaOf(message, ids);
    return { kind: kindOf(media.mimeType, message), text: body ?? null, media };
  }
  const place = placeIn(message);
  if (place !== null) {
    return { kind: 'location', ...placeOf(place, textAt(place, 'description')) };
  }
  const vcards = vcardsIn(message);
  if (vcards.length > 0) return cardsOf(vcards, body);
  const answer = answerOf(message);
  if (answer !== null) return { kind: 'text', text: answer.title, answer };
  const text = body ?? orderIn(message)?.text ?? null;
  return text === null ? { kind: 'unsupported', text } : { kind: 'text', text };
}

/** The bridge itself finds no place in a wrapper, as every message of a disappearing chat has. */
export function placeIn(message: JsonRecord): JsonRecord | null {
  if (isRecord(message.location)) return message.location;
  const { locationMessage, liveLocationMessage } = rawContentOf(message);
  const place = isRecord(locationMessage) ? locationMessage : liveLocationMessage;
  if (!isRecord(place)) return null;
  const { degreesLatitude: latitude, degreesLongitude: longitude, name, address } = place;
  const description = place.comment ?? place.caption;
  return { latitude, longitude, name, address, description };
}

/** Contact cards; in a wrapper the bridge finds none either. */
export function vcardsIn(message: JsonRecord): readonly string[] {
  const { contactMessage, contactsArrayMessage } = rawContentOf(message);
  const listed = isRecord(contactsArrayMessage) ? listAt(contactsArrayMessage, 'contacts') : [];
  const raw = [contactMessage, ...listed].filter(isRecord).map(({ vcard }) => vcard);
  const given = listAt(message, 'vCards');
  return (given.length > 0 ? given : raw).filter((card) => typeof card === 'string');
}

function cardsOf(vcards: readonly string[], body: string | undefined): Content {
  const contacts = vcards
    .map(cardOf)
    .filter((card) => card !== null)
    .map((card) => ({ ...card, name: withoutControl(card.name) }));
  const text = contactCardsText(contacts) || (body ?? null);
  return { kind: 'contact', text, ...(contacts.length === 0 ? {} : { contacts }) };
}

function mediaOf(message: JsonRecord, { externalId, fullId }: MessageIds): InboundMedia {
  const media = recordAt(message, 'media');
  const part = rawPart(message);
  const url = textAt(media, 'url');
  const inRaw = fileNameAt(part, 'fileName') ?? fileNameAt(part, 'filename');
  const fileName = fileNameAt(media, 'filename') ?? inRaw;
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
  const content = rawContentOf(message);
  const name = FILE_PARTS.find((part) => isRecord(content[part]));
  return name === undefined ? recordAt(message, '_data') : recordAt(content, name);
}

function kindOf(mimeType: string, message: JsonRecord): MessageKind {
  if (mimeType.startsWith('image/webp')) return 'sticker';
  if (textAt(recordAt(message, '_data'), 'type') === 'sticker') return 'sticker';
  if (isRecord(rawContentOf(message).stickerMessage)) return 'sticker';
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}
