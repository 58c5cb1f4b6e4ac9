/**
 * The GOWS engine's dialect (whatsmeow behind it). The answer to a send names the requested chat,
 * receipts the chat of the receipt. There is no acknowledgement of the server, and `to` is null.
 */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { contentOf, replyOf } from './content.ts';
import { isHidden, jidOf } from './ids.ts';
import {
  ackName,
  cardsOf,
  type Dialect,
  idOf,
  locationOf,
  type MessageView,
  secondsOf,
} from './message.ts';

const ENDINGS = { id: 'ID', url: 'URL' } as const;
const DEVICE_OF_PHONE = 12;
const RECEIPT_TYPES: ReadonlyMap<number, string> = new Map([
  [-1, 'server-error'],
  [2, ''],
  [3, 'read'],
  [4, 'played'],
]);
/** For a message that the phone alone shows. */
const PLACEHOLDER = { placeholderMessage: { type: 0 } };
const SERVER_ACK = 3;
const DELIVERY_ACK = 4;

export const gows: Dialect = {
  answer: (view) => ({ id: idOf(view), _data: rawOf(view) }),
  message: messageOf,
  ack(view, ack, _error) {
    const Type = RECEIPT_TYPES.get(ack);
    if (Type === undefined) return null;
    return {
      id: idOf(view),
      from: view.chat,
      to: null,
      participant: null,
      fromMe: view.message.fromMe,
      ack,
      ackName: ackName(ack),
      _data: receiptOf(view, Type),
    };
  },
  edited: (view, of) => ({
    ...messageOf(view),
    editedMessageId: of,
    _data: { ...rawOf(view), Message: protocol(view, of, 14) },
  }),
  revoked(view, of) {
    const _data = { ...rawOf(view), Message: protocol(view, of, 0) };
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
    to: null,
    participant: view.message.participant ?? null,
    reaction: { text, messageId: of },
  }),
  exception: (message) => ({ code: 2, details: message, message: `2 UNKNOWN: ${message}` }),
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
    to: message.participant ?? null,
    participant: message.participant ?? null,
    hasMedia: message.file !== undefined,
    media,
    ack: message.ack,
    location: locationOf(message),
    vCards: cardsOf(message),
    ackName: ackName(message.ack),
    replyTo: replyOf(message),
    _data: rawOf(view),
  };
}

function rawOf(view: MessageView): JsonRecord {
  const { message, chat, otherChat, me, source } = view;
  const other = otherChat === undefined ? '' : jidOf(otherChat).replace('@', ':77@');
  const mine = source === 'api' ? me.jid : jidOf(me.id);
  const theirs = jidOf(message.participant ?? chat).replace('@', `:${DEVICE_OF_PHONE}@`);
  return {
    Info: {
      Chat: jidOf(chat),
      Sender: message.fromMe ? mine : theirs,
      IsFromMe: message.fromMe,
      IsGroup: chat.endsWith('@g.us'),
      AddressingMode: isHidden(chat) ? 'lid' : 'pn',
      SenderAlt: message.fromMe ? '' : other,
      RecipientAlt: message.fromMe ? other : '',
      BroadcastListOwner: '',
      BroadcastRecipients: null,
      ID: message.id,
      ServerID: 0,
      Type: message.file === undefined ? 'text' : 'media',
      PushName: message.name ?? '',
      Timestamp: new Date(secondsOf(message) * 1000).toISOString(),
      Category: '',
      Multicast: false,
      MediaType: message.file?.kind ?? '',
      Edit: '',
    },
    Message: message.phoneOnly ? PLACEHOLDER : contentOf(message, ENDINGS),
    Status: message.fromMe ? SERVER_ACK : DELIVERY_ACK,
  };
}

function protocol(view: MessageView, of: string, type: number): JsonRecord {
  const { message, chat } = view;
  const key = { remoteJID: jidOf(chat), fromMe: message.fromMe, ID: of };
  const edited = type === 0 ? {} : { editedMessage: { conversation: message.text ?? '' } };
  return { protocolMessage: { key, type, ...edited } };
}

function receiptOf({ message, chat, otherChat }: MessageView, Type: string): JsonRecord {
  return {
    Chat: jidOf(chat),
    Sender: jidOf(chat).replace('@', `:${DEVICE_OF_PHONE}@`),
    IsFromMe: !message.fromMe,
    IsGroup: chat.endsWith('@g.us'),
    AddressingMode: '',
    SenderAlt: otherChat === undefined ? '' : jidOf(otherChat).replace('@', ':77@'),
    RecipientAlt: '',
    BroadcastListOwner: '',
    BroadcastRecipients: null,
    MessageIDs: [message.id],
    Type,
    MessageSender: '',
  };
}
