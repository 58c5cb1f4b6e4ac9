/**
 * Ids of messages. The bridge spells one id in several ways. Events and listings have
 * `true_<chat>_<id>`, with a fourth segment in groups. Raw answers and references have the bare
 * `<id>`. The chat in it is the phone's or the hidden one. The third segment alone is the same
 * everywhere.
 */
import { createHash } from 'node:crypto';
import { isRecord, type JsonRecord, recordAt, textAt } from '../webhook-body.ts';
import { personChat } from './chat-id.ts';

const SERIALIZED = /^(?:true|false)_([^_]+)_([^_]+)/;
/** The prefix of ids made by the network's own clients. */
const OWN_ID_PREFIX = '3EB0';
const OWN_ID_DIGITS = 18;

export interface MessageIds {
  /** The third segment. */
  readonly externalId: string;
  /** The full id, where the network reports it or all its parts. */
  readonly fullId?: string;
}

/** The third segment of a serialized id; any other text is one already. */
export function canonicalId(id: string): string {
  return SERIALIZED.exec(id)?.[2] ?? id;
}

/** The chat that a serialized id names. */
export function chatInId(id: string | undefined): string | undefined {
  return SERIALIZED.exec(id ?? '')?.[1];
}

/** The ids of an engine's message: `id` as text or object, or the raw message's `key`. */
export function idsOf(message: JsonRecord): MessageIds | null {
  const reported = reportedId(message);
  if (reported !== undefined) {
    const externalId = canonicalId(reported);
    return externalId === reported ? { externalId } : { externalId, fullId: reported };
  }
  const key = recordAt(message, 'key');
  const externalId = textAt(key, 'id') ?? textAt(recordAt(message, 'id'), 'id');
  if (externalId === undefined) return null;
  const chat = personChat(textAt(key, 'remoteJid'));
  if (chat === null || typeof key.fromMe !== 'boolean') return { externalId };
  return { externalId, fullId: `${key.fromMe}_${chat}_${externalId}` };
}

/** In WEBJS the id is an object, whose `_serialized` is `$1` in some versions. */
function reportedId(message: JsonRecord): string | undefined {
  if (!isRecord(message.id)) return textAt(message, 'id');
  return textAt(message.id, '_serialized') ?? textAt(message.id, '$1');
}

/** The id under which our message is sent: derived, so that it is the same for every attempt. */
export function ownIdFor(messageId: string): string {
  const hex = createHash('sha256').update(messageId).digest('hex');
  return OWN_ID_PREFIX + hex.slice(0, OWN_ID_DIGITS).toUpperCase();
}
