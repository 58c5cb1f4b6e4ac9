/**
 * The QR bridge's webhook (WAHA): one event per request, signed with HMAC-SHA512.
 *
 * 1. Nothing is parsed before the signature holds over the raw bytes.
 * 2. Groups, broadcasts and newsletters are no contacts: their events are counted as skipped.
 * 3. What this service itself sent (`fromMe`, source not `app`) is no event; what a person typed on
 *    the phone (`fromMe`, source `app`) is an echo.
 * 4. Where the phone behind a hidden id is told, the person is named by the phone, in the network's
 *    own form of it.
 */

import type {
  InboundMedia,
  NetworkChannel,
  NetworkEvent,
  WebhookOutcome,
  WebhookRequest,
} from '../../../shared/network.ts';
import type { Clock } from '../../../shared/ports.ts';
import type { MessageKind } from '../../../shared/vocabulary.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  millisAt,
  numberAt,
  parseRecord,
  recordAt,
  secondsAt,
  textAt,
} from '../json-shape.ts';
import { headerOf, signatureHolds } from '../signature.ts';
import { sessionOf } from './bridge-call.ts';
import { chatOfOwn, messageIdOf, personChat, phoneOfChat } from './chat-id.ts';
import { sessionReason } from './errors.ts';

const ACKS: ReadonlyMap<number, 'sent' | 'delivered' | 'read' | 'failed'> = new Map([
  [-1, 'failed'],
  [1, 'sent'],
  [2, 'delivered'],
  [3, 'read'],
  [4, 'read'],
]);

/** Verifies and parses; see WebhookOutcome for what the gateway answers to each. */
export function parseWebhook(
  clock: Clock,
  channel: NetworkChannel,
  request: WebhookRequest,
): WebhookOutcome {
  const algorithm = headerOf(request.headers, 'x-webhook-hmac-algorithm') ?? 'sha512';
  const verified = signatureHolds({
    algorithm: 'sha512',
    secret: channel.network.webhookSecret,
    rawBody: request.rawBody,
    hex: headerOf(request.headers, 'x-webhook-hmac'),
  });
  if (!verified || algorithm !== 'sha512') return { verified: false };
  const root = parseRecord(Buffer.from(request.rawBody).toString('utf8'));
  if (root === null) return { verified: true, malformed: 'not a JSON object' };
  const event = textAt(root, 'event');
  if (event === undefined || !isRecord(root.payload)) {
    return { verified: true, malformed: 'not an event of the bridge' };
  }
  if (textAt(root, 'session') !== sessionOf(channel)) {
    return { verified: true, events: [], foreign: 1 };
  }
  const parsed = eventOf(event, root.payload, {
    me: personChat(textAt(recordAt(root, 'me'), 'id')),
    now: clock.now(),
    // Of the event itself, in milliseconds; an acknowledgement's payload tells when it was sent.
    at: millisAt(root, 'timestamp', clock.now()),
  });
  if (parsed === 'own') return { verified: true, events: [] };
  return parsed === null
    ? { verified: true, events: [], skipped: 1 }
    : { verified: true, events: [parsed] };
}

interface About {
  /** The connected number's own chat. */
  readonly me: string | null;
  readonly now: number;
  readonly at: number;
}

/** `own` is what this service sent itself; null is malformed or of no interest. */
function eventOf(event: string, payload: JsonRecord, about: About): NetworkEvent | 'own' | null {
  switch (event) {
    case 'message':
    case 'message.any':
      return payload.fromMe === true ? echo(payload, about) : inbound(payload, about);
    case 'message.ack':
      return receipt(payload, about);
    case 'session.status':
      return readiness(payload);
    default:
      return null;
  }
}

function inbound(payload: JsonRecord, { now }: About): NetworkEvent | null {
  const externalId = messageIdOf(payload);
  const chat = personChat(textAt(payload, 'from'));
  if (externalId === undefined || chat === null) return null;
  const data = recordAt(payload, '_data');
  const profileName = textAt(data, 'notifyName') ?? textAt(data, 'pushName');
  const replyTo = textAt(recordAt(payload, 'replyTo'), 'id');
  return {
    type: 'message',
    externalId,
    ...personOf(chat, data),
    ...(profileName === undefined ? {} : { profileName }),
    ...contentOf(payload, externalId),
    ...(replyTo === undefined ? {} : { replyToExternalId: replyTo }),
    at: secondsAt(payload, 'timestamp', now),
  };
}

function echo(payload: JsonRecord, { me, now }: About): NetworkEvent | 'own' | null {
  if (payload.source !== 'app') return 'own';
  const externalId = messageIdOf(payload);
  const chat = chatOfOwn(payload, me);
  if (externalId === undefined || chat === null) return null;
  return {
    type: 'echo',
    externalId,
    ...personOf(chat, recordAt(payload, '_data')),
    ...contentOf(payload, externalId),
    at: secondsAt(payload, 'timestamp', now),
  };
}

function receipt(payload: JsonRecord, { me, at }: About): NetworkEvent | 'own' | null {
  const externalId = messageIdOf(payload);
  const ack = numberAt(payload, 'ack');
  if (externalId === undefined || ack === undefined) return null;
  // Pending says nothing new; an ack of a contact's own message is our reading it.
  if (ack === 0 || payload.fromMe === false) return 'own';
  const status = ACKS.get(ack);
  const chat = chatOfOwn(payload, me);
  if (status === undefined) return null;
  const error = { code: 'ERROR', message: 'A rede não entregou a mensagem.' };
  return {
    type: 'receipt',
    externalId,
    status,
    ...(chat === null ? {} : personOf(chat, recordAt(payload, '_data'))),
    ...(status === 'failed' ? { error } : {}),
    at,
  };
}

function readiness(payload: JsonRecord): NetworkEvent | null {
  const status = textAt(payload, 'status');
  if (status === undefined) return null;
  const reason = sessionReason(status);
  return {
    type: 'readiness',
    readiness: reason === null ? { ready: true } : { ready: false, reason },
  };
}

/** Behind a hidden id (`@lid`) the engine may still tell the phone; else it stays empty. */
function personOf(chat: string, data: JsonRecord): { phone: string; networkId: string } {
  const alternative = personChat(textAt(recordAt(data, 'key'), 'remoteJidAlt'));
  const networkId = phoneOfChat(chat) === '' ? (alternative ?? chat) : chat;
  return { phone: phoneOfChat(networkId), networkId };
}

function contentOf(
  payload: JsonRecord,
  externalId: string,
): { kind: MessageKind; text: string | null; media?: InboundMedia } {
  const body = textAt(payload, 'body');
  const media = recordAt(payload, 'media');
  const mimeType = textAt(media, 'mimetype');
  if (payload.hasMedia === true) {
    if (mimeType === undefined) return { kind: 'unsupported', text: body ?? null };
    const url = textAt(media, 'url');
    const fileName = textAt(media, 'filename');
    const found: InboundMedia = {
      networkMediaId: externalId,
      mimeType,
      ...(url === undefined ? {} : { url }),
      ...(fileName === undefined ? {} : { fileName }),
    };
    return { kind: kindOfMime(mimeType), text: body ?? null, media: found };
  }
  if (isRecord(payload.location)) return { kind: 'location', text: pointOf(payload.location) };
  if (listAt(payload, 'vCards').length > 0) return { kind: 'contact', text: body ?? null };
  return body === undefined ? { kind: 'unsupported', text: null } : { kind: 'text', text: body };
}

function kindOfMime(mimeType: string): MessageKind {
  if (mimeType.startsWith('image/webp')) return 'sticker';
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

function pointOf(location: JsonRecord): string | null {
  const latitude = textAt(location, 'latitude');
  const longitude = textAt(location, 'longitude');
  const point = latitude && longitude ? `${latitude}, ${longitude}` : undefined;
  return textAt(location, 'description') ?? point ?? null;
}
