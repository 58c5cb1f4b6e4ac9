/**
 * The WEBJS engine's dialect (a browser behind it). A send answers with the page's own message
 * object. Its id is `_serialized` in older versions and `$1` in newer ones. The `from` of an own
 * message is the number itself. An edit and a deletion have the id of the message they change.
 */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { pageFieldsOf } from './commerce.ts';
import { hasRenamedIds } from './engines.ts';
import {
  ackName,
  cardsOf,
  type Dialect,
  idOf,
  locationOf,
  type MessageView,
  secondsOf,
} from './message.ts';

export const webjs: Dialect = {
  answer(view) {
    const { message } = view;
    const { from, to } = partiesOf(view);
    const location = locationOf(message);
    return {
      _data: rawOf(view),
      id: keyOf(view),
      ack: 0,
      hasMedia: message.file !== undefined,
      body: message.text ?? '',
      type: typeOf(view),
      timestamp: secondsOf(message),
      from,
      to,
      deviceType: 'web',
      isForwarded: false,
      forwardingScore: 0,
      isStatus: false,
      isStarred: false,
      fromMe: true,
      hasQuotedMsg: message.replyTo !== undefined,
      ...(location === null ? {} : { location }),
      vCards: cardsOf(message) ?? [],
      mentionedIds: [],
      groupMentions: [],
      isGif: false,
      links: [],
    };
  },
  message: messageOf,
  ack: (view, ack, error) => ({
    ...messageOf(view),
    ack,
    ackName: ackName(ack),
    _data: {
      ...rawOf(view),
      ack,
      ...(error === null ? {} : { error: { message: `server returned error ${error.code}` } }),
    },
  }),
  edited: (view, of) => ({ ...messageOf(changed(view, of)), editedMessageId: of }),
  revoked: (view, of) => ({
    after: { ...messageOf(changed(view, of)), body: '' },
    before: null,
    revokedMessageId: of,
    _data: rawOf(changed(view, of)),
  }),
  reacted: (view, { text, of }) => ({
    id: idOf(view),
    from: view.message.participant ?? partiesOf(view).from,
    fromMe: view.message.fromMe,
    source: view.source,
    participant: view.message.participant ?? partiesOf(view).from,
    to: view.chat,
    timestamp: view.message.at / 1000,
    reaction: { text, messageId: of },
  }),
  exception: (message) => ({
    message,
    name: 'Error',
    stack: `Error: ${message}\n    at ExecutionContext.evaluate`,
  }),
};

/** The action and the message that it changes have one id here. */
function changed(view: MessageView, of: string): MessageView {
  return { ...view, message: { ...view.message, id: of } };
}

function keyOf(view: MessageView): JsonRecord {
  const { message, chat, version } = view;
  const name = hasRenamedIds(version) ? '$1' : '_serialized';
  return { fromMe: message.fromMe, remote: chat, id: message.id, [name]: idOf(view) };
}

function partiesOf({ message, chat, me }: MessageView): { from: string; to: string } {
  return message.fromMe ? { from: me.id, to: chat } : { from: chat, to: me.id };
}

function typeOf({ message }: MessageView): string {
  if (message.bookkeeping !== undefined) return message.bookkeeping;
  if (message.phoneOnly) return 'ciphertext';
  if (message.file !== undefined) {
    return message.file.kind === 'audio' ? 'ptt' : message.file.kind;
  }
  if (message.place !== undefined) return 'location';
  if (message.order !== undefined) return 'order';
  return message.cards === undefined ? 'chat' : 'vcard';
}

function messageOf(view: MessageView): JsonRecord {
  const { message, source, media } = view;
  const location = locationOf(message);
  const { participant, replyTo } = message;
  return {
    id: idOf(view),
    timestamp: secondsOf(message),
    ...partiesOf(view),
    fromMe: message.fromMe,
    source,
    ...(participant === undefined ? {} : { participant }),
    body: message.text ?? '',
    hasMedia: message.file !== undefined,
    media,
    ack: message.ack,
    ackName: ackName(message.ack),
    ...(location === null ? {} : { location }),
    vCards: cardsOf(message) ?? [],
    ...(replyTo === undefined
      ? {}
      : { replyTo: { id: replyTo.id, participant: replyTo.by, body: replyTo.text } }),
    _data: rawOf(view),
  };
}

function rawOf(view: MessageView): JsonRecord {
  const { message } = view;
  return {
    id: keyOf(view),
    viewed: false,
    body: message.text ?? '',
    type: typeOf(view),
    ...(message.phoneOnly ? { subtype: 'view_once_unavailable_fanout' } : {}),
    t: secondsOf(message),
    ...(message.name === undefined ? {} : { notifyName: message.name }),
    ...partiesOf(view),
    ...pageFieldsOf(message),
    ack: message.ack,
    isNewMsg: true,
    star: false,
  };
}
