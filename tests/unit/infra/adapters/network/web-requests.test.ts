/**
 * Every request of the `web` driver, field by field, against what the bridge's published OpenAPI
 * document (WAHA 2026.7.1) requires and knows. The table is ours, read from that document.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundMedia } from '../../../../../shared/ports/network.ts';
import { type BridgeRequest, ok, useBridge } from '../../../../support/stand-ins/bridge.ts';
import { answerOf, engine, payload } from './web-payloads.ts';

type Shape = 'string' | 'number' | 'boolean' | 'file' | 'named-file' | 'cards' | 'strings';
type Fields = Readonly<Record<string, Shape>>;

interface Call {
  readonly method: string;
  readonly path: RegExp;
  /** Of the query of a GET, of the body of a POST. */
  readonly required: Fields;
  readonly optional: Fields;
}

/** A `:` in the path stands for a name. */
function call(route: string, required: Fields, optional: Fields = {}): Call {
  const [method = '', path = ''] = route.split(' ');
  const pattern = new RegExp(`^/api/${path.replaceAll(':', '[^/]+')}$`);
  return { method, path: pattern, required, optional };
}

const SEND: Fields = { session: 'string', chatId: 'string' };
const QUOTED: Fields = { reply_to: 'string' };
const NAMED: Fields = { ...QUOTED, id: 'string' };
const CAPTIONED: Fields = { ...QUOTED, caption: 'string' };
const FILE: Fields = { ...SEND, file: 'file' };
const CONVERTED: Fields = { ...SEND, file: 'named-file', convert: 'boolean' };
const PREVIEW: Fields = { linkPreview: 'boolean', linkPreviewHighQuality: 'boolean' };
const PLACE: Fields = { latitude: 'number', longitude: 'number', title: 'string' };
const REACTION: Fields = { session: 'string', messageId: 'string', reaction: 'string' };
const SEEN: Fields = { messageIds: 'strings', messageId: 'string', participant: 'string' };
const CHECKED: Fields = { phone: 'string', session: 'string' };
const PAGES: Fields = { merge: 'boolean', offset: 'number' };
const OVERVIEW: Fields = { ...PAGES, limit: 'number', ids: 'string' };
const ONE: Fields = { downloadMedia: 'boolean', merge: 'boolean' };
const LISTED: Fields = {
  ...{ sortBy: 'string', sortOrder: 'string', downloadMedia: 'boolean', ...PAGES },
  ...{ 'filter.timestamp.lte': 'number', 'filter.timestamp.gte': 'number' },
  ...{ 'filter.fromMe': 'boolean', 'filter.ack': 'string' },
};

const CALLS: Readonly<Record<string, Call>> = {
  MessageTextRequest: call('POST sendText', { ...SEND, text: 'string' }, { ...NAMED, ...PREVIEW }),
  MessageImageRequest: call('POST sendImage', FILE, CAPTIONED),
  MessageFileRequest: call('POST sendFile', FILE, CAPTIONED),
  MessageVoiceRequest: call('POST sendVoice', CONVERTED, QUOTED),
  MessageVideoRequest: call('POST sendVideo', CONVERTED, { ...CAPTIONED, asNote: 'boolean' }),
  /** Newer than the document, which has no such call: as a file without a caption. */
  sendSticker: call('POST sendSticker', FILE, QUOTED),
  MessageLocationRequest: call('POST sendLocation', { ...SEND, ...PLACE }, NAMED),
  MessageContactVcardRequest: call('POST sendContactVcard', { ...SEND, contacts: 'cards' }, NAMED),
  MessageReactionRequest: call('PUT reaction', REACTION),
  SendSeenRequest: call('POST sendSeen', SEND, SEEN),
  startTyping: call('POST startTyping', SEND),
  SessionsController_get: call('GET sessions/:', {}, { expand: 'string' }),
  ServerController_get: call('GET server/version', {}),
  ContactsController_checkExists: call('GET contacts/check-exists', CHECKED),
  LidsController_findPNByLid: call('GET :/lids/:', {}),
  ChatsController_getChatsOverview: call('GET :/chats/overview', {}, OVERVIEW),
  ChatsController_getChatMessages: call('GET :/chats/:/messages', { limit: 'number' }, LISTED),
  ChatsController_getChatMessage: call('GET :/chats/:/messages/:', {}, ONE),
};

const RECIPIENT = '5531988887777';
const bridge = useBridge('the suite');

function isShaped(value: unknown, shape: Shape, inQuery: boolean): boolean {
  if (shape === 'file' || shape === 'named-file') {
    const { mimetype, filename, data, ...more } = Object(value);
    const named = typeof filename === 'string' || (shape === 'file' && filename === undefined);
    return (
      typeof mimetype === 'string' &&
      typeof data === 'string' &&
      named &&
      Object.keys(more).length === 0
    );
  }
  if (shape === 'cards') {
    const isCard = (card: unknown) => String(Object.keys(Object(card))) === 'vcard';
    return Array.isArray(value) && value.every(isCard);
  }
  if (shape === 'strings') return Array.isArray(value) && value.every((id) => id === String(id));
  if (!inQuery) return typeof value === shape;
  const text = String(value);
  if (shape === 'number') return /^\d+$/.test(text);
  return shape === 'boolean' ? /^(true|false)$/.test(text) : text !== '';
}

/** The name of the call that the request is, whose every field was right. */
function held(request: BridgeRequest): string {
  const found = Object.entries(CALLS).find(
    ([, { method, path }]) => method === request.method && path.test(request.path),
  );
  assert.ok(found, `${request.method} ${request.path} is in the document`);
  const [name, { method, required, optional }] = found;
  const given = method === 'GET' ? request.query : (request.body ?? {});
  for (const field of Object.keys(required)) assert.ok(field in given, `${name} needs ${field}`);
  for (const [field, value] of Object.entries(given)) {
    const shape = required[field] ?? optional[field];
    assert.ok(shape, `${name} knows ${field}`);
    assert.ok(isShaped(value, shape, method === 'GET'), `${name}.${field} is a ${shape}`);
  }
  return name;
}

async function sendMedia(kind: OutboundMedia['kind']): Promise<void> {
  const read = async function* () {
    yield Buffer.from('abc');
  };
  const file = { mimeType: 'image/png', fileName: null, sizeBytes: 3, read };
  const outcome = await bridge.driver.sendMedia(bridge.channel, {
    messageId: 'msg_1',
    to: RECIPIENT,
    kind,
    caption: kind === 'audio' ? null : 'legenda',
    mimeType: 'image/png',
    fileName: null,
    replyTo: 'ABC',
    ownId: '3EB0A1B2C3D4E5F6071829',
    content: { file },
  });
  assert.equal(outcome.outcome, 'accepted', kind);
}

const LOCATION = { latitude: -23.5505, longitude: -46.6333 };
const TARGET = { externalId: 'ABC', fromMe: false };

async function sendContents(): Promise<void> {
  const { driver, channel } = bridge;
  const message = { messageId: 'msg_1', to: RECIPIENT };
  const named = { ...message, replyTo: 'ABC', ownId: '3EB0A1B2C3D4E5F6071829' };
  const contacts = [{ name: 'Bia', phones: ['+55 31 97777-6666'] }];
  await driver.sendContent(channel, { ...message, type: 'location', location: LOCATION });
  await driver.sendContent(channel, { ...named, type: 'location', location: LOCATION });
  await driver.sendContent(channel, { ...named, type: 'contacts', contacts });
  await driver.sendContent(channel, { ...named, type: 'reaction', emoji: '👍', target: TARGET });
  await driver.show?.(channel, { to: RECIPIENT, shows: 'read', message: TARGET });
  await driver.show?.(channel, { to: RECIPIENT, shows: 'typing', message: TARGET });
}

/** Everything that the driver can ask of a bridge. */
async function everyRequest(): Promise<void> {
  const { driver, channel } = bridge;
  const message = { messageId: 'msg_1', to: RECIPIENT, text: 'Olá' };
  const ownId = '3EB0A1B2C3D4E5F6071829';
  await driver.status(channel);
  await driver.sendText(channel, message);
  await driver.sendText(channel, { ...message, replyTo: 'ABC', ownId });
  for (const kind of ['image', 'video', 'audio', 'document', 'sticker'] as const) {
    await sendMedia(kind);
  }
  await sendContents();
  const doubtful = { ...message, handedOverAt: 1_783_400_000_000, recorded: new Set<string>() };
  await driver.findSent?.(channel, doubtful);
  await driver.findSent?.(channel, { ...doubtful, ownId });
  await driver.findPhone?.(channel, '77000000000123@lid');
  await driver.download(channel, { networkMediaId: 'ABC', mimeType: 'image/png' });
  for await (const _ of driver.readSince?.(channel, 0) ?? []);
}

test('every request has what the bridge requires, and nothing that it does not know', async () => {
  bridge.answers = engine('gows', ({ method, path, query }) => {
    if (method !== 'GET') return answerOf('answer-send-gows');
    if (path.endsWith('/check-exists')) return ok(payload('check-exists-hidden'));
    if (path.endsWith('/overview') || path.endsWith('/messages')) {
      const name = path.endsWith('/overview') ? 'chats-overview-gows' : 'chat-messages-gows';
      return ok(query.offset === '0' ? payload(name) : []);
    }
    return undefined;
  });
  await everyRequest();
  const asked = new Set(bridge.requests.map(held));
  assert.deepEqual([...asked].sort(), Object.keys(CALLS).sort(), 'each call came up');
});
