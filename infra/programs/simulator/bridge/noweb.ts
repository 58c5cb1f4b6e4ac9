/**
 * The NOWEB engine's dialect (Baileys behind it). A send answers with the raw message, without the
 * serialized id that all later data has. A restriction comes later, in an acknowledgement.
 */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { contentOf, replyOf } from './content.ts';
import { isHidden, jidOf } from './ids.ts';
import {
  ackName,
  type BridgeMessage,
  cardsOf,
  type Dialect,
  idOf,
  locationOf,
  type MessageView,
  secondsOf,
} from './message.ts';

const ENDINGS = { id: 'Id', url: 'Url' } as const;
const STUB = 'Your account has been restricted';
/** `CALL_MISSED_VOICE`: one number stands for all notices. */
const NOTICE = 40;

export const noweb: Dialect = {
  answer(view) {
    const { message, chat } = view;
    return {
      key: { remoteJid: jidOf(chat), fromMe: true, id: message.id },
      message: contentOf(message, ENDINGS),
      messageTimestamp: String(secondsOf(message)),
      status: 'PENDING',
    };
  },
  message: messageOf,
  ack: (view, ack, error) => ({
    id: idOf(view),
    from: view.chat,
    fromMe: view.message.fromMe,
    ack,
    ackName: ackName(ack),
    ...(error === null ? {} : { error }),
    _data: {
      key: keyOf(view),
      update: {
        status: ack + 1,
        ...(error === null ? {} : { messageStubParameters: [error.code, STUB] }),
      },
    },
  }),
  edited: (view, of) => ({
    ...messageOf(view),
    editedMessageId: of,
    _data: { ...rawOf(view), message: protocol(view, of, 14) },
  }),
  revoked(view, of) {
    const _data = { ...rawOf(view), message: protocol(view, of, 0) };
    return {
      after: { ...messageOf(view), body: null, _data },
      before: null,
      revokedMessageId: of,
      _data,
    };
  },
  reacted: (view, { text, of }) => ({
    id: idOf(view),
    timestamp: secondsOf(view.message),
    from: view.chat,
    fromMe: view.message.fromMe,
    source: view.source,
    ...groupOf(view),
    reaction: { text, messageId: of },
  }),
  exception: (message) => ({ message, name: 'Error', stack: `Error: ${message}` }),
};

function messageOf(view: MessageView): JsonRecord {
  const { message, chat, source, media } = view;
  return {
    id: idOf(view),
    timestamp: secondsOf(message),
    from: chat,
    fromMe: message.fromMe,
    source,
    body: message.text,
    ...groupOf(view),
    hasMedia: message.file !== undefined,
    media,
    ack: message.ack,
    ackName: ackName(message.ack),
    location: locationOf(message),
    vCards: cardsOf(message),
    replyTo: replyOf(message),
    _data: rawOf(view),
  };
}

/** Outside of groups neither is there. */
function groupOf({ message, chat }: MessageView): JsonRecord {
  const { participant } = message;
  return participant === undefined ? {} : { to: chat, participant };
}

function keyOf({ message, chat, otherChat }: MessageView): JsonRecord {
  return {
    remoteJid: jidOf(chat),
    ...(otherChat === undefined ? {} : { remoteJidAlt: jidOf(otherChat) }),
    fromMe: message.fromMe,
    id: message.id,
    ...(message.participant === undefined ? {} : { participant: jidOf(message.participant) }),
    addressingMode: isHidden(chat) ? 'lid' : 'pn',
    ...(message.phoneOnly ? { isViewOnce: true } : {}),
  };
}

function rawOf(view: MessageView): JsonRecord {
  const { message } = view;
  return {
    key: keyOf(view),
    messageTimestamp: secondsOf(message),
    ...(message.fromMe ? {} : { pushName: message.name ?? '' }),
    broadcast: false,
    ...contentFieldOf(message),
    status: message.ack + 1,
  };
}

/** A notice, and what is shown on the phone alone, have no content. */
function contentFieldOf(message: BridgeMessage): JsonRecord {
  if (message.phoneOnly) return {};
  const isNotice = message.bookkeeping === 'messageStubType';
  return isNotice ? { messageStubType: NOTICE } : { message: contentOf(message, ENDINGS) };
}

function protocol(view: MessageView, of: string, type: number): JsonRecord {
  const { message, chat } = view;
  const key = { remoteJid: jidOf(chat), fromMe: message.fromMe, id: of };
  const edited = type === 0 ? {} : { editedMessage: { conversation: message.text ?? '' } };
  return { protocolMessage: { key, type, ...edited } };
}
