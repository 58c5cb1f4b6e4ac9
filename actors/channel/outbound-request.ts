/**
 * Requests to the network for one message: its recipient, the message that it quotes, its content.
 * A quoted message is named as the network knows it now: one that was still queued has gone first.
 */
import { MEDIA_KINDS } from '../../shared/media.ts';
import type { StoredMessage } from '../../shared/message.ts';
import type { MessageContent } from '../../shared/message-content.ts';
import type {
  NamedMessage,
  OutboundContent,
  OutboundMedia,
  OutboundText,
} from '../../shared/ports/network.ts';
import type { Store } from '../../shared/ports/store.ts';
import type { Sending } from './batch-context.ts';

type Addressed = Omit<OutboundText, 'text'>;

/** The recipient and the ids of a message, as requests to the network name them. */
export function addressOf({ entry, send }: Sending): Addressed {
  const { networkId, contact } = entry.after;
  const { ownId, to = networkId ?? contact.phone } = send;
  return { messageId: entry._id, to, ...(ownId === undefined ? {} : { ownId }) };
}

/** The message that this one names: quoted, or reacted to. */
export function referenceOf({ entry }: Sending): string | null {
  return entry.message?.replyToId ?? null;
}

/** Null where the network does not know the message: it failed, or was never sent. */
export async function readReference(store: Store, entryId: string): Promise<NamedMessage | null> {
  const message = (await store.byId('entries', entryId))?.message;
  if (!message?.externalId) return null;
  const { externalId, fullId, direction } = message;
  const names = { externalId, ...(fullId === undefined ? {} : { fullId }) };
  return { ...names, fromMe: direction === 'out' };
}

/** With the quote; a message whose quoted one is unknown to the network goes without. */
export function quoting(sending: Sending, quoted: NamedMessage | null): Addressed {
  if (quoted === null) return addressOf(sending);
  const { externalId, fullId = externalId, fromMe } = quoted;
  return { ...addressOf(sending), replyTo: fullId, quotesOwn: fromMe };
}

export function mediaRequest(
  address: Addressed,
  { media, kind, text }: StoredMessage,
  content: OutboundMedia['content'],
): OutboundMedia {
  return {
    ...address,
    kind: mediaKindOf(kind),
    caption: text,
    mimeType: media?.mimeType ?? '',
    fileName: media?.fileName ?? null,
    content,
  };
}

export function templateRequest(
  address: Addressed,
  { media, kind }: StoredMessage,
  named: {
    readonly content: Extract<MessageContent, { type: 'template' }>;
    readonly file: OutboundMedia['content'] | null;
  },
): OutboundContent {
  const { content, file } = named;
  const fileName = media?.fileName ?? null;
  const header = file && { kind: mediaKindOf(kind), fileName, content: file };
  return { ...address, ...content, ...(header ? { header } : {}) };
}

function mediaKindOf(kind: string): OutboundMedia['kind'] {
  return MEDIA_KINDS.find((each) => each === kind) ?? 'document';
}
