/**
 * How the QR bridge names people: `<digits>@c.us` by phone, `<opaque>@lid` where the network hides
 * it, and in its engines' own words `@s.whatsapp.net` and device suffixes (`:12`).
 */
import type { JsonRecord } from '../json-shape.ts';
import { isRecord, recordAt, textAt } from '../json-shape.ts';

const PERSON = /^([^@:_]+)(?::\d+)?@(c\.us|s\.whatsapp\.net|lid)$/;
const CHAT_IN_MESSAGE_ID = /^(?:true|false)_([^_]+)_/;

/** One spelling of a person's chat; null for a group, a broadcast, a newsletter. */
export function personChat(chatId: string | undefined): string | null {
  const [, user, server] = PERSON.exec(chatId ?? '') ?? [];
  if (user === undefined) return null;
  return `${user}@${server === 'lid' ? 'lid' : 'c.us'}`;
}

/** The digits of a chat that is named by its phone; empty for a hidden one. */
export function phoneOfChat(chatId: string): string {
  return /^(\d+)@c\.us$/.exec(personChat(chatId) ?? '')?.[1] ?? '';
}

/** The chat id of digits is `…@c.us`; what already names a server stays as it is. */
export function chatIdOf(to: string): string {
  return to.includes('@') ? to : `${to}@c.us`;
}

/** The serialized id of an engine-shaped message: a string, `id._serialized` or `key.id`. */
export function messageIdOf(message: JsonRecord): string | undefined {
  if (isRecord(message.id)) return textAt(message.id, '_serialized');
  return textAt(message, 'id') ?? textAt(recordAt(message, 'key'), 'id');
}

/**
 * The chat of a message of our own number. Engines differ in what they put into `from` and `to`
 * (ourselves, the chat, nothing), and agree on the chat inside the serialized id.
 */
export function chatOfOwn(message: JsonRecord, me: string | null): string | null {
  const inId = CHAT_IN_MESSAGE_ID.exec(messageIdOf(message) ?? '')?.[1];
  const named = [textAt(message, 'to'), inId, textAt(message, 'from')];
  const chats = named.map(personChat).filter((chat) => chat !== null && chat !== me);
  return chats[0] ?? null;
}
