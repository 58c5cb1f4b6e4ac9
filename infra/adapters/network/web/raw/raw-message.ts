/**
 * The engine's own message behind the bridge's one (`_data`): what it holds, and whether a person
 * wrote it.
 *
 * 1. NOWEB and GOWS pass on the network's protobuf, GOWS in Go's spelling of it. Wrappers around
 *    the content are removed here alone, so that every reader finds it at the same place.
 * 2. WEBJS has the page's object, with a `type`.
 * 3. A message is a person's if its type or content is listed. The rest is bookkeeping: keys,
 *    calls, notices, votes, pins. It is nobody's words, on every way in.
 * 4. What the network shows on the phone alone (a message to be seen once) is a person's, without
 *    content.
 *
 * Sources: WAProto.proto and `normalizeMessageContent` of Baileys; WAWebProtobufsE2E.proto and
 * `UnwrapRaw` of whatsmeow; `MessageTypes` of whatsapp-web.js, and the page's own list; threads
 * #1634, #1972 of WAHA.
 */
import { isRecord, type JsonRecord, listAt, recordAt, textAt } from '../../webhook-body.ts';

/** Parts that hold a whole message under `message`. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  // A stored message that was edited; an edit on its way has a `protocolMessage` inside.
  'editedMessage',
  'deviceSentMessage',
  'lottieStickerMessage',
  'groupMentionedMessage',
  'associatedChildMessage',
  'botInvokeMessage',
  'botForwardedMessage',
  'questionMessage',
  'questionReplyMessage',
  'spoilerMessage',
  'limitSharingMessage',
];
/** Deeper ones are of no client of the network. */
const WRAPPERS_MAX = 8;

/** NOWEB and GOWS: contents that a person writes. */
const PERSONS_CONTENT: ReadonlySet<string> = new Set([
  ...['conversation', 'extendedTextMessage', 'highlyStructuredMessage', 'commentMessage'],
  ...['imageMessage', 'videoMessage', 'ptvMessage', 'audioMessage', 'documentMessage'],
  ...['stickerMessage', 'stickerPackMessage', 'musicMessage'],
  ...['locationMessage', 'liveLocationMessage', 'contactMessage', 'contactsArrayMessage'],
  ...['buttonsMessage', 'listMessage', 'templateMessage', 'interactiveMessage'],
  ...['buttonsResponseMessage', 'listResponseMessage', 'templateButtonReplyMessage'],
  ...['interactiveResponseMessage', 'questionResponseMessage', 'richResponseMessage'],
  ...['pollCreationMessage', 'pollCreationMessageV2', 'pollCreationMessageV3'],
  ...['pollCreationMessageV4', 'pollCreationMessageV5', 'pollCreationMessageV6'],
  // The results of a poll, forwarded; the words of an answer to a question of our status.
  ...['pollResultSnapshotMessage', 'pollResultSnapshotMessageV3', 'statusQuestionAnswerMessage'],
  ...['eventMessage', 'eventInviteMessage', 'scheduledCallCreationMessage'],
  ...['productMessage', 'orderMessage', 'invoiceMessage', 'sendPaymentMessage'],
  ...['requestPaymentMessage', 'paymentInviteMessage', 'splitPaymentMessage'],
  ...['groupInviteMessage', 'newsletterAdminInviteMessage', 'newsletterFollowerInviteMessageV2'],
  ...['requestPhoneNumberMessage', 'placeholderMessage'],
]);
/** WEBJS: types of what a person writes. */
const PERSONS_TYPES: ReadonlySet<string> = new Set([
  ...['chat', 'hsm', 'oversized', 'comment', 'unknown'],
  ...['image', 'video', 'ptv', 'audio', 'ptt', 'document', 'sticker', 'sticker-pack'],
  ...['location', 'vcard', 'multi_vcard'],
  ...['list', 'interactive', 'native_flow', 'buttons_response', 'list_response'],
  ...['interactive_response', 'template_button_reply', 'rich_response'],
  ...['poll_creation', 'event_creation', 'scheduled_event_creation'],
  ...['product', 'order', 'payment', 'groups_v4_invite', 'request_phone_number'],
  ...['newsletter_admin_invite', 'newsletter_follower_invite', 'biz_content_placeholder'],
]);
/** How Baileys and the page mark what is shown on the phone alone. */
const VIEW_ONCE_STUB = /^view_once_unavailable/;

/** The content of NOWEB's or GOWS's message without its wrappers; empty on WEBJS. */
export function rawContentOf(message: JsonRecord): JsonRecord {
  const data = recordAt(message, '_data');
  return unwrapped({ ...recordAt(data, 'message'), ...recordAt(data, 'Message') });
}

function unwrapped(content: JsonRecord): JsonRecord {
  let inner = content;
  for (let depth = 0; depth < WRAPPERS_MAX; depth++) {
    const wrapper = WRAPPERS.find((name) => isRecord(recordAt(inner, name).message));
    if (wrapper === undefined) break;
    inner = recordAt(recordAt(inner, wrapper), 'message');
  }
  return inner;
}

/** The id of the message that is answered; the bridge finds none in a wrapper. */
export function quotedIn(message: JsonRecord): string | undefined {
  for (const part of Object.values(rawContentOf(message)).filter(isRecord)) {
    const context = recordAt(part, 'contextInfo');
    const id = textAt(context, 'stanzaId') ?? textAt(context, 'stanzaID');
    if (id !== undefined && isRecord(context.quotedMessage)) return id;
  }
  return undefined;
}

/** Whether nobody wrote it: the engine keeps its own books with messages too. */
export function isBookkeeping(message: JsonRecord): boolean {
  const data = recordAt(message, '_data');
  if (isViewOnceStub(data)) return false;
  const parts = partsOf(rawContentOf(message));
  if (parts.length > 0) return !parts.some((part) => PERSONS_CONTENT.has(part));
  const type = textAt(data, 'type');
  if (type !== undefined) return !PERSONS_TYPES.has(type);
  if (hasStub(data)) return true;
  // Without the engine's word the bridge's own decides; with neither it may be anything.
  return Object.keys(data).length > 0 && !showsContent(message);
}

function partsOf(content: JsonRecord): string[] {
  return Object.keys(content).filter((part) => content[part] !== null);
}

/** NOWEB numbers its notices; 0 is none. */
function hasStub(data: JsonRecord): boolean {
  const stub = textAt(data, 'messageStubType');
  return stub !== undefined && stub !== '0' && stub !== 'UNKNOWN';
}

function isViewOnceStub(data: JsonRecord): boolean {
  if (recordAt(data, 'key').isViewOnce === true || data.IsViewOnce === true) return true;
  const words = [data.subtype, ...listAt(data, 'messageStubParameters')];
  return words.some((word) => typeof word === 'string' && VIEW_ONCE_STUB.test(word));
}

function showsContent(message: JsonRecord): boolean {
  return (
    textAt(message, 'body') !== undefined ||
    message.hasMedia === true ||
    isRecord(message.location) ||
    listAt(message, 'vCards').length > 0
  );
}
