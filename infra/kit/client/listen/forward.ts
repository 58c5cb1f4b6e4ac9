/** One event as a delivery: the POST that the service would make (C6.1, C6.2). */
import type { Platform } from '../platform.ts';
import type { ServerSentEvent } from '../server-sent-events.ts';
import { sign } from '../signatures.ts';

const TIMEOUT_MS = 10_000;

export interface Forwarding {
  readonly url: string;
  readonly secret: string;
  /** The maker's name in the headers. */
  readonly headerPrefix: string;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  /** Null: no answer. */
  readonly status: number | null;
  readonly ms: number;
}

export async function forward(
  platform: Platform,
  { id, event, data: body }: ServerSentEvent,
  { url, secret, headerPrefix: prefix, signal }: Forwarding,
): Promise<Outcome> {
  const began = platform.now();
  const timestamp = Math.floor(began / 1000);
  const { service, standard } = sign(secret, { id, timestamp, body });
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Recado-Webhooks/1.0',
    [`${prefix}-Event`]: event,
    [`${prefix}-Delivery`]: id,
    [`${prefix}-Signature`]: service,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard,
  };
  const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const sent = { method: 'POST', redirect: 'manual', headers, body, signal: ends } as const;
  const status = await platform.fetch(url, sent).then(statusOf, () => null);
  return { status, ms: platform.now() - began };
}

/** The body is taken, so that the connection can be used again. */
async function statusOf(response: Response): Promise<number | null> {
  await response.arrayBuffer();
  return response.status;
}

export function isDelivered({ status }: Outcome): boolean {
  return status !== null && status >= 200 && status < 300;
}
