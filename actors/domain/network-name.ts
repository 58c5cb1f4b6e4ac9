/**
 * Spellings of a network message's id under which it may be recorded.
 *
 * 1. The canonical id names a message of a channel and direction, in any chat form.
 * 2. Messages of earlier releases are recorded under the full id, `<from us>_<chat>_<id>`. A
 *    look-up uses both.
 */
export interface NetworkName {
  /** Canonical id. */
  readonly externalId: string;
  readonly fullId?: string | undefined;
}

export function spellings({ externalId, fullId }: NetworkName): readonly string[] {
  return fullId === undefined || fullId === externalId ? [externalId] : [externalId, fullId];
}

/** Adds the full id to a canonical one, where the chat's name allows it. */
export function namedInChat(
  { externalId, fullId }: NetworkName,
  { chat, fromMe }: { readonly chat: string; readonly fromMe: boolean },
): NetworkName {
  // Only networks with such chat names have used full ids.
  if (fullId !== undefined || !chat.includes('@')) return { externalId, fullId };
  return { externalId, fullId: `${fromMe}_${chat}_${externalId}` };
}

/** Spellings of the message that another one answers: the same chat, written by either side. */
export function answeredSpellings(answered: string, by: NetworkName): readonly string[] {
  const { externalId, fullId = '' } = by;
  const chat = /^(?:true|false)_([^_]+)_/.exec(fullId)?.[1];
  if (chat === undefined || fullId === externalId) return [answered];
  return [answered, `true_${chat}_${answered}`, `false_${chat}_${answered}`];
}

/** The fields under which a message stores its names. */
export function namesOf({ externalId, fullId }: NetworkName): {
  readonly externalId: string;
  readonly fullId?: string;
} {
  return { externalId, ...(fullId === undefined ? {} : { fullId }) };
}
