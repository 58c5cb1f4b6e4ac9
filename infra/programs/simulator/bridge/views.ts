/** One representation of a message by its session: the form of the chat, the source, the media. */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { chatId, isHidden } from './ids.ts';
import type { BridgeFile, BridgeMessage, MessageView } from './message.ts';
import type { BridgePeople } from './people.ts';
import type { BridgeSession } from './sessions.ts';

export interface RenderContext {
  readonly session: BridgeSession;
  readonly people: BridgePeople;
  readonly now: number;
  /** The form of the chat; the message's own unless set. */
  readonly chat?: string | undefined;
  /** In a later look-up a file that was not downloaded at first is, unless it is gone. */
  readonly downloaded?: 'at-first' | 'asked' | 'not-at-all';
}

export function viewOf(
  { session, people, now, chat, downloaded = 'at-first' }: RenderContext,
  message: BridgeMessage,
): MessageView {
  const shownChat = chat ?? message.chat;
  return {
    message,
    chat: shownChat,
    otherChat: otherChatOf(people, message, shownChat),
    source: session.sourceOf(message, now),
    me: session.me,
    version: session.version,
    media: mediaOf(message.file, downloaded),
  };
}

/** The phone behind a hidden chat is sent only with messages for which the network reveals it. */
function otherChatOf(
  people: BridgePeople,
  message: BridgeMessage,
  shownChat: string,
): string | undefined {
  if (!isHidden(shownChat)) return message.fromMe ? undefined : people.otherForm(shownChat);
  if (message.phoneShown !== undefined) return chatId(message.phoneShown);
  return message.fromMe ? people.otherForm(shownChat) : undefined;
}

function mediaOf(
  file: BridgeFile | undefined,
  downloaded: 'at-first' | 'asked' | 'not-at-all',
): JsonRecord | null {
  if (file === undefined || downloaded === 'not-at-all' || file.url === undefined) return null;
  const { url, mimeType: mimetype, fileName, notDownloaded, gone } = file;
  const filename = fileName ?? null;
  const missing = downloaded === 'asked' ? gone === true : notDownloaded !== undefined;
  if (!missing) return { url, mimetype, filename, error: null };
  if (notDownloaded !== 'error') return null;
  return { url: null, mimetype, filename, error: { message: 'Failed to download media' } };
}

/** By which form of the chat the receipts of a sent message come. */
export function receiptChat(
  { session, people }: Pick<RenderContext, 'session' | 'people'>,
  message: BridgeMessage,
): string {
  if (session.engine !== 'gows' || isHidden(message.chat)) return message.chat;
  return people.otherForm(message.chat) ?? message.chat;
}
