/**
 * The bridge's spellings: a message's id is `{fromMe}_{chat}_{id}[_{participant}]`, a person's chat
 * `{digits}@c.us` or `{opaque}@lid`, and in the engines' own data `{digits}@s.whatsapp.net`.
 */
import { createHash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 9;
const DEVICE = 77;

export interface MessageKey {
  readonly id: string;
  readonly fromMe: boolean;
  readonly chat: string;
  /** In a group, the person who wrote. */
  readonly participant?: string | undefined;
}

/** An id as the bridge's own clients make them: `3EB0` and 18 hexadecimal digits. */
export function freshMessageId(): string {
  return `3EB0${randomBytes(RANDOM_BYTES).toString('hex').toUpperCase()}`;
}

export function serializedId({ id, fromMe, chat, participant }: MessageKey): string {
  return `${fromMe}_${chat}_${id}${participant === undefined ? '' : `_${participant}`}`;
}

/** The message's own segment of a serialized id; a bare id stays as it is. */
export function bareId(id: string): string {
  return /^(?:true|false)_[^_]+_([^_]+)/.exec(id)?.[1] ?? id;
}

/** Bare digits become a chat id; an id with a server stays. */
export function chatId(person: string): string {
  return person.includes('@') ? person : `${person}@c.us`;
}

/** As the engines' own data spell it. */
export function jidOf(chat: string): string {
  return chat.replace(/@c\.us$/, '@s.whatsapp.net');
}

export function isHidden(chat: string): boolean {
  return chat.endsWith('@lid');
}

/** Bare digits of a chat that is named by its phone; anything else as it is. */
export function personOf(chat: string): string {
  return chat.replace(/@c\.us$/, '');
}

/** The number that a session is connected to. */
export interface Me {
  readonly id: string;
  readonly lid: string;
  /** With the device that the bridge itself is. */
  readonly jid: string;
}

/**
 * Derived of the session's name, so that it stays over restarts.
 * @param phone digits of the number; without them they are derived too
 */
export function meOf(session: string, phone = ''): Me {
  const digest = createHash('sha256').update(session).digest();
  const tail = String(digest.readUInt32BE(0) % 100_000_000).padStart(8, '0');
  const digits = phone === '' ? `55009${tail}` : phone;
  return {
    id: `${digits}@c.us`,
    lid: `${digest.readUIntBE(4, 6) + 100_000_000_000_000}@lid`,
    jid: `${digits}:${DEVICE}@s.whatsapp.net`,
  };
}
