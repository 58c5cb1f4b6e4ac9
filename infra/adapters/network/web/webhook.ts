/**
 * The QR bridge's webhook (WAHA): one event per request, signed with HMAC-SHA512.
 *
 * 1. Nothing is parsed before the signature over the raw bytes is verified.
 * 2. Groups, status updates and newsletters are no contacts, and an engine's bookkeeping is no
 *    message: their events are counted as skipped.
 * 3. A `fromMe` message that was not surely sent through the bridge is an echo: the recorded ids of
 *    the service's own messages decide.
 * 4. Where the phone behind a hidden id is reported, it identifies the person, in the network's own
 *    form. The hidden id is then an alias.
 * 5. Events of a session that names another number than the channel's are not the channel's. A
 *    state other than WORKING is: such a session has no number.
 */

import { signatureIn } from '../../../../shared/network-signature.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type {
  NetworkChannel,
  WebhookOutcome,
  WebhookRequest,
} from '../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import {
  headerOf,
  isRecord,
  type JsonRecord,
  millisAt,
  parseRecord,
  recordAt,
  signatureHolds,
  textAt,
} from '../webhook-body.ts';
import { sessionOf } from './bridge-call.ts';
import { type About, callOf, deletionOf, editOf, messageOf, reactionOf } from './messages.ts';
import { isOurs, otherNumber, phoneOfMe } from './own-number.ts';
import { ownChats } from './people.ts';
import { receiptsOf } from './receipts.ts';
import { restrictionOf } from './restriction.ts';
import { unreadinessOf } from './status.ts';

const WORKING = 'WORKING';

/** Verifies and parses; see WebhookOutcome for what the gateway answers to each. */
export function parseWebhook(
  clock: Clock,
  channel: NetworkChannel,
  request: WebhookRequest,
): WebhookOutcome {
  const verified = signatureHolds({
    algorithm: 'sha512',
    secret: channel.network.webhookSecret,
    rawBody: request.rawBody,
    hex: signatureIn('web', (name) => headerOf(request.headers, name)),
  });
  if (!verified) return { verified: false };
  const root = parseRecord(Buffer.from(request.rawBody).toString('utf8'));
  if (root === null) return { verified: true, malformed: 'not a JSON object' };
  if (textAt(root, 'event') === undefined || !isRecord(root.payload)) {
    return { verified: true, malformed: 'not an event of the bridge' };
  }
  if (textAt(root, 'session') !== sessionOf(channel)) {
    return { verified: true, events: [], foreign: 1 };
  }
  const stopped = root.event === 'session.status' && textAt(root.payload, 'status') !== WORKING;
  const phone = stopped ? undefined : phoneOfMe(root);
  const other = otherNumber(channel, phone);
  if (other !== null) return { verified: true, events: [], foreign: 1, otherNumber: other };
  const own = phone !== undefined && isOurs(channel, phone) ? { ownNumber: true as const } : {};
  const events = eventsOf(root, root.payload, clock.now());
  if (events === null) return { verified: true, events: [], skipped: 1, ...own };
  return { verified: true, events, ...own, ...reportTime(root) };
}

/** It stays the same when the bridge repeats the webhook. */
function reportTime(root: JsonRecord): { readonly reportedAt?: number } {
  const reportedAt = millisAt(root, 'timestamp', 0);
  return reportedAt === 0 ? {} : { reportedAt };
}

/** Null is malformed or of no interest; an empty list is this service's own action. */
function eventsOf(root: JsonRecord, payload: JsonRecord, now: number): NetworkEvent[] | null {
  const about: About = {
    me: ownChats(recordAt(root, 'me')),
    now,
    // Of the event itself, in milliseconds; an acknowledgement's payload has the time of the send.
    at: millisAt(root, 'timestamp', now),
  };
  switch (root.event) {
    case 'message':
    case 'message.any':
      return listed(messageOf(payload, about));
    case 'message.reaction':
      return listed(reactionOf(payload, about));
    case 'message.edited':
      return listed(editOf(payload, about));
    case 'message.revoked':
      return listed(deletionOf(payload, about));
    case 'message.ack':
      return receiptsOf(payload, about);
    case 'call.received':
      return listed(callOf(payload, about));
    case 'session.status':
      return readiness(root, payload, now);
    default:
      return null;
  }
}

function listed(event: NetworkEvent | 'own' | null): NetworkEvent[] | null {
  if (event === 'own') return [];
  return event === null ? null : [event];
}

/**
 * The bridge reports WORKING once more when a restriction begins or ends. A repeat may come when
 * the session has another number: only an answer of now ends what holds the channel.
 */
function readiness(root: JsonRecord, payload: JsonRecord, now: number): NetworkEvent[] | null {
  const status = textAt(payload, 'status');
  if (status === undefined) return null;
  const unready = unreadinessOf(status);
  if (unready !== null) return [{ type: 'readiness', readiness: unready }];
  const restriction = restrictionOf(payload, now) ?? restrictionOf(root, now);
  const events: NetworkEvent[] = [
    { type: 'readiness', readiness: { ready: true, unconfirmed: true, ...optional(restriction) } },
  ];
  if (restriction !== undefined) events.push({ type: 'restriction', restriction });
  return events;
}

function optional<T>(restriction: T | undefined): { readonly restriction?: T } {
  return restriction === undefined ? {} : { restriction };
}
