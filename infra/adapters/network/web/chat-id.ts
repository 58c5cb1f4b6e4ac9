/**
 * Chat ids of the QR bridge: `<digits>@c.us` by phone, `<opaque>@lid` where the network hides it.
 * The engines' own ids use `@s.whatsapp.net` and device suffixes (`:12`).
 */

const PERSON = /^([^@:_]+)(?::\d+)?@(c\.us|s\.whatsapp\.net|lid)$/;

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

/** The chat id of digits is `…@c.us`; an id with a server stays as it is. */
export function chatIdOf(to: string): string {
  return to.includes('@') ? to : `${to}@c.us`;
}
