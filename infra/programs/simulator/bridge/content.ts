/** The network's own message content, as GOWS and NOWEB show it in their raw data. */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { jidOf } from './ids.ts';
import { type BridgeMessage, cardText } from './message.ts';

/** The name under which each engine keeps the id of the message that is answered. */
export type StanzaKey = 'stanzaID' | 'stanzaId';

export function contentOf(message: BridgeMessage, stanzaKey: StanzaKey): JsonRecord {
  const { wrapped, bookkeeping } = message;
  const content = bookkeeping === undefined ? saidIn(message, stanzaKey) : { [bookkeeping]: {} };
  return wrapped === undefined ? content : { [wrapped]: { message: content } };
}

function saidIn(message: BridgeMessage, stanzaKey: StanzaKey): JsonRecord {
  const { file, place, cards, text, reaction, chat } = message;
  const context = contextOf(message, stanzaKey);
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
  const plain = message.sentInRun === undefined && message.replyTo === undefined;
  return plain ? { conversation: written } : { extendedTextMessage: { text: written, ...context } };
}

function contextOf({ replyTo }: BridgeMessage, stanzaKey: StanzaKey): JsonRecord {
  if (replyTo === undefined) return {};
  const { id, text, by } = replyTo;
  const quotedMessage = { conversation: text ?? '' };
  return { contextInfo: { [stanzaKey]: id, participant: by, quotedMessage } };
}

/** The answered message as its answer contains it; null without one, and in a wrapper. */
export function replyOf({ replyTo, wrapped }: BridgeMessage): JsonRecord | null {
  if (replyTo === undefined || wrapped !== undefined) return null;
  const { id, text: body, by: participant } = replyTo;
  const _data = { conversation: body ?? '' };
  return { id, participant, body, hasMedia: false, media: null, _data };
}
