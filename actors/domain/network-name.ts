/**
 * Under which spellings a message of the network may be on record.
 *
 * 1. The canonical id names a message of a channel and direction, whatever chat form it came under.
 * 2. Messages of earlier releases are on record under the whole id, `<from us>_<chat>_<id>`: it is
 *    looked up beside the canonical one.
 */
export interface NetworkName {
  /** Canonical. */
  readonly externalId: string;
  readonly fullId?: string | undefined;
}

export function spellings({ externalId, fullId }: NetworkName): readonly string[] {
  return fullId === undefined || fullId === externalId ? [externalId] : [externalId, fullId];
}

/** Of a message that is named by its canonical id alone, in the chat of that name. */
export function namedInChat(
  { externalId, fullId }: NetworkName,
  { chat, fromMe }: { readonly chat: string; readonly fromMe: boolean },
): NetworkName {
  // Only the networks whose chats are named so have spelled ids out.
  if (fullId !== undefined || !chat.includes('@')) return { externalId, fullId };
  return { externalId, fullId: `${fromMe}_${chat}_${externalId}` };
}

/** Of the message that another one answers: the same chat, written by either side. */
export function answeredSpellings(answered: string, by: NetworkName): readonly string[] {
  const { externalId, fullId = '' } = by;
  const chat = /^(?:true|false)_([^_]+)_/.exec(fullId)?.[1];
  if (chat === undefined || fullId === externalId) return [answered];
  return [answered, `true_${chat}_${answered}`, `false_${chat}_${answered}`];
}

/** As a message keeps them. */
export function namesOf({ externalId, fullId }: NetworkName): {
  readonly externalId: string;
  readonly fullId?: string;
} {
  return { externalId, ...(fullId === undefined ? {} : { fullId }) };
}
