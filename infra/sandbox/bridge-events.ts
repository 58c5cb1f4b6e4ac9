/** The QR bridge's (WAHA's) webhook bodies, as the simulator posts them: one event per request. */
import { createHmac, randomUUID } from 'node:crypto';
import type { SessionStatus } from './bridge-people.ts';
import type { SandboxChannel } from './channels.ts';
import type { Inbound } from './inbound.ts';
import type { ReceiptStep, Sending } from './receipts.ts';
import type { WebhookEntry, WebhookPost } from './webhook-entry.ts';

const ACKS: Readonly<Record<ReceiptStep, readonly [number, string]>> = {
  sent: [1, 'SERVER'],
  delivered: [2, 'DEVICE'],
  read: [3, 'READ'],
  failed: [-1, 'ERROR'],
};

/** One signed POST of one event. */
export function bridgePost(channel: SandboxChannel, entries: readonly WebhookEntry[]): WebhookPost {
  const [entry] = entries;
  const session = channel.network.session ?? '';
  const now = Date.now();
  const event = entry?.kind ?? 'message';
  const me = { id: chatId(session), pushName: 'Sandbox' };
  const head = { id: `evt_${randomUUID()}`, timestamp: now, event, session, me, engine: 'GOWS' };
  const body = Buffer.from(
    `${JSON.stringify(head).slice(0, -1)},"payload":${entry?.json ?? '{}'}}`,
  );
  const hmac = createHmac('sha512', channel.network.webhookSecret ?? '').update(body);
  return {
    url: channel.webhookUrl,
    body,
    headers: {
      'content-type': 'application/json',
      'x-webhook-request-id': randomUUID(),
      'x-webhook-timestamp': String(now),
      'x-webhook-hmac': hmac.digest('hex'),
      'x-webhook-hmac-algorithm': 'sha512',
    },
  };
}

/** One acknowledgement of one message. */
export function bridgeAck(sending: Sending, step: ReceiptStep, now: number): WebhookEntry {
  const [ack, ackName] = ACKS[step];
  const json = JSON.stringify({
    id: sending.externalId,
    timestamp: Math.floor(now / 1000),
    from: chatId(sending.to),
    fromMe: true,
    ack,
    ackName,
  });
  return { kind: 'message.ack', json };
}

/** A contact's message, or with `echo` one that a person typed on the connected phone. */
export function bridgeInbound(inbound: Inbound, externalId: string, now: number): WebhookEntry {
  const { media } = inbound;
  const contact = chatId(inbound.from);
  const file = media && {
    url: media.url,
    mimetype: media.mimeType,
    filename: media.fileName ?? null,
  };
  const json = JSON.stringify({
    id: externalId,
    timestamp: Math.floor((inbound.at ?? now) / 1000),
    from: contact,
    to: contact,
    fromMe: inbound.echo,
    source: 'app',
    body: inbound.text ?? '',
    hasMedia: media !== undefined,
    ...(file === undefined ? {} : { media: { ...file, error: null } }),
    ...(inbound.replyTo === undefined ? {} : { replyTo: { id: inbound.replyTo } }),
    _data: {
      ...(inbound.name === undefined ? {} : { notifyName: inbound.name }),
      ...(inbound.phoneShown === undefined
        ? {}
        : { key: { remoteJidAlt: `${inbound.phoneShown}@s.whatsapp.net` } }),
    },
  });
  return { kind: 'message.any', json };
}

/** What was sent over the bridge's own API comes back as an event too. */
export function bridgeOwn(sending: Sending, text: string | null, now: number): WebhookEntry {
  const chat = chatId(sending.to);
  const json = JSON.stringify({
    id: sending.externalId,
    timestamp: Math.floor(now / 1000),
    from: chat,
    to: chat,
    fromMe: true,
    source: 'api',
    body: text ?? '',
    hasMedia: false,
    ack: 1,
    _data: {},
  });
  return { kind: 'message.any', json };
}

/** The session changed its state. */
export function bridgeSession(session: string, status: SessionStatus): WebhookEntry {
  return { kind: 'session.status', json: JSON.stringify({ name: session, status }) };
}

/** Bare digits become a chat id; what names a server stays. */
export function chatId(person: string): string {
  return person.includes('@') ? person : `${person}@c.us`;
}
