/**
 * Chat ids of the QR bridge: `<digits>@c.us` by phone, `<opaque>@lid` where the network hides it.
 * The engines' own ids use `@s.whatsapp.net` and device suffixes (`:12`).
 */

const PERSON = /^([^@:_]+)(?::\d+)?@(c\.us|s\.whatsapp\.net|lid)$/;
/** Under this number the network itself speaks. */
const NETWORK = '0';
const BROADCAST = '@broadcast';
/** The chat of everybody's status updates. */
const STATUSES = `status${BROADCAST}`;

/** One spelling of a person's chat; null for a group, a broadcast, a newsletter, the network. */
export function personChat(chatId: string | undefined): string | null {
  const [, user, server] = PERSON.exec(chatId ?? '') ?? [];
  if (user === undefined || user === NETWORK) return null;
  return `${user}@${server === 'lid' ? 'lid' : 'c.us'}`;
}

/** Whether it is somebody's broadcast list: a message of it is one of its author alone. */
export function isBroadcastList(chatId: string | undefined): boolean {
  return chatId?.endsWith(BROADCAST) === true && chatId !== STATUSES;
}

/** The digits of a chat that is named by its phone; empty for a hidden one. */
export function phoneOfChat(chatId: string): string {
  return /^(\d+)@c\.us$/.exec(personChat(chatId) ?? '')?.[1] ?? '';
}

/** The chat id of digits is `…@c.us`; an id with a server stays as it is. */
export function chatIdOf(to: string): string {
  return to.includes('@') ? to : `${to}@c.us`;
}
