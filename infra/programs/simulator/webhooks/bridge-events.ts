/** The QR bridge's (WAHA's) webhook bodies, as the simulator posts them: one event per request. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { dialectOf } from '../bridge/dialects.ts';
import type { AckError, BridgeMessage } from '../bridge/message.ts';
import type { BridgeSession } from '../bridge/sessions.ts';
import { type RenderContext, receiptChat, viewOf } from '../bridge/views.ts';
import type { SimulatedChannel } from '../network/channels.ts';
import type { WebhookEntry, WebhookPost } from './entry.ts';
import type { ReceiptStep } from './receipts.ts';

const ACKS: Readonly<Record<ReceiptStep, number>> = { sent: 1, delivered: 2, read: 3, failed: -1 };
const RESTRICTED_CODE = 463;

/** One signed POST of one event. */
export function bridgePost(
  channel: SimulatedChannel,
  entries: readonly WebhookEntry[],
): WebhookPost {
  const [entry] = entries;
  const session = channel.network.session ?? '';
  const now = Date.now();
  const event = entry?.kind ?? 'message';
  const head = { id: eventId(), timestamp: now, event, session, metadata: {}, ...entry?.head };
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

/** Lower case, of the length and the letters of a ULID. */
function eventId(): string {
  return `evt_01${randomBytes(12).toString('hex')}`;
}

/** Properties of every event of a session beside its payload. */
function headOf(session: BridgeSession, now: number): JsonRecord {
  return {
    me: session.meInfo(now),
    engine: session.label(),
    environment: session.environment(),
  };
}

function entryOf({ session, now }: RenderContext, kind: string, payload: JsonRecord): WebhookEntry {
  return { kind, json: JSON.stringify(payload), head: headOf(session, now) };
}

/** A message that a contact wrote, that a person typed on the phone, or that was sent here. */
export function bridgeMessage(
  renderContext: RenderContext,
  message: BridgeMessage,
  event: 'message' | 'message.any' = 'message.any',
): WebhookEntry {
  const { engine } = renderContext.session;
  return entryOf(renderContext, event, dialectOf(engine).message(viewOf(renderContext, message)));
}

/** An edit, a deletion or a reaction; `action` is the network's message that contains it. */
export function bridgeChange(
  renderContext: RenderContext,
  action: BridgeMessage,
  change: BridgeChange,
): WebhookEntry {
  const dialect = dialectOf(renderContext.session.engine);
  const view = viewOf(renderContext, action);
  switch (change.type) {
    case 'edit':
      return entryOf(renderContext, 'message.edited', dialect.edited(view, change.of));
    case 'revoke':
      return entryOf(renderContext, 'message.revoked', dialect.revoked(view, change.of));
    case 'reaction':
      return entryOf(renderContext, 'message.reaction', dialect.reacted(view, change));
  }
}

export type BridgeChange =
  | { readonly type: 'edit' | 'revoke'; readonly of: string }
  | { readonly type: 'reaction'; readonly of: string; readonly text: string };

/** One acknowledgement of one message; null where the engine does not report the step. */
export function bridgeAck(
  renderContext: RenderContext,
  message: BridgeMessage,
  receipt: { readonly step: ReceiptStep; readonly failCode?: number | undefined },
): WebhookEntry | null {
  const { session } = renderContext;
  const ack = ACKS[receipt.step];
  const chat = receiptChat(renderContext, message);
  const error = receipt.failCode === undefined ? null : errorOf(renderContext, receipt.failCode);
  const payload = dialectOf(session.engine).ack(
    viewOf({ ...renderContext, chat }, message),
    ack,
    error,
  );
  return payload === null ? null : entryOf(renderContext, 'message.ack', payload);
}

export function ackOf(step: ReceiptStep): number {
  return ACKS[step];
}

function errorOf({ session }: RenderContext, code: number): AckError {
  if (code !== RESTRICTED_CODE) return { code: String(code), blocked: false };
  const known = session.reach.restriction?.told === true ? session.reach.restriction : null;
  const until = known?.until ?? null;
  return {
    code: String(code),
    blocked: true,
    reason: 'account_restricted',
    until: until === null ? null : new Date(until).toISOString(),
    ...(known === null ? {} : { enforcementType: known.enforcementType }),
  };
}

/** The session changed its state, or repeats it with newly learnt facts of a restriction. */
export function bridgeSession(session: BridgeSession, now: number): WebhookEntry {
  const { status, statuses, name } = session;
  const reachoutTimelock = status === 'WORKING' ? session.timelock(now) : null;
  const data = reachoutTimelock === null ? null : { reachoutTimelock };
  const json = JSON.stringify({ name, status, statuses, data });
  return { kind: 'session.status', json, head: headOf(session, now) };
}
