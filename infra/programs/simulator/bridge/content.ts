/** The network's own message content, as GOWS and NOWEB show it in their raw data. */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { contextOf as commerceContextOf, type Endings, orderOf } from './commerce.ts';
import { jidOf } from './ids.ts';
import { type BridgeMessage, cardText } from './message.ts';

export function contentOf(message: BridgeMessage, endings: Endings): JsonRecord {
  const { wrapped, bookkeeping } = message;
  const content = bookkeeping === undefined ? saidIn(message, endings) : { [bookkeeping]: {} };
  return wrapped === undefined ? content : { [wrapped]: { message: content } };
}

function saidIn(message: BridgeMessage, endings: Endings): JsonRecord {
  const { file, place, cards, text, reaction, chat } = message;
  const context = contextOf(message, endings);
  if (reaction !== undefined) {
    const key = { remoteJID: jidOf(chat), fromMe: false, ID: reaction.of };
    return { reactionMessage: { key, text: reaction.text } };
  }
  if (file !== undefined) {
    const caption = text === null ? {} : { caption: text };
    const named = file.fileName === undefined ? {} : { fileName: file.fileName };
    const voice = file.kind === 'audio' ? { PTT: file.voice ?? true } : {};
    const content = { mimetype: file.mimeType, ...caption, ...named, ...voice, ...context };
    return { [`${file.kind}Message`]: content };
  }
  if (place !== undefined) {
    const { latitude: degreesLatitude, longitude: degreesLongitude, name, address } = place;
    const words = { ...(name === undefined ? {} : { name }), ...(address && { address }) };
    return { locationMessage: { degreesLatitude, degreesLongitude, ...words, ...context } };
  }
  const [card, ...others] = cards ?? [];
  if (card !== undefined && others.length === 0) {
    return { contactMessage: { displayName: card.name, vcard: cardText(card), ...context } };
  }
  if (cards !== undefined) {
    const contacts = cards.map((each) => ({ displayName: each.name, vcard: cardText(each) }));
    return { contactsArrayMessage: { contacts, ...context } };
  }
  const written = text ?? '';
  if (message.order !== undefined) {
    return { orderMessage: { ...orderOf(message.order, endings.id), ...context } };
  }
  const isBare = Object.keys(context).length === 0;
  const plain = message.sentInRun === undefined && isBare;
  return plain ? { conversation: written } : { extendedTextMessage: { text: written, ...context } };
}

function contextOf(message: BridgeMessage, endings: Endings): JsonRecord {
  const contextInfo = { ...quoteOf(message, endings), ...commerceContextOf(message, endings) };
  return Object.keys(contextInfo).length === 0 ? {} : { contextInfo };
}

function quoteOf({ replyTo }: BridgeMessage, { id: ending }: Endings): JsonRecord {
  if (replyTo === undefined) return {};
  const { id, text, by } = replyTo;
  const quotedMessage = { conversation: text ?? '' };
  return { [`stanza${ending}`]: id, participant: by, quotedMessage };
}

/** The answered message as its answer contains it; null without one, and in a wrapper. */
export function replyOf({ replyTo, wrapped }: BridgeMessage): JsonRecord | null {
  if (replyTo === undefined || wrapped !== undefined) return null;
  const { id, text: body, by: participant } = replyTo;
  const _data = { conversation: body ?? '' };
  return { id, participant, body, hasMedia: false, media: null, _data };
}
