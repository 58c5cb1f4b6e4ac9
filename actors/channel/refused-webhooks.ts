/**
 * Webhooks whose check failed since the last one that passed, of each channel here: for the log and
 * `recado doctor`. Anybody may post to a webhook's address, so a refusal is forgotten by itself.
 */
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Clock, Log } from '../../shared/ports.ts';

/** One line of the log stands for all that came within it. */
const LOG_EVERY_MS = 10_000;
const KEPT_MS = 600_000;

/** The setting of the channel that does not fit the network's. */
type Setting = 'appSecret' | 'verifyToken' | 'webhookSecret';

interface Receiver {
  readonly channelId: string;
  readonly environment: { readonly clock: Clock; readonly log: Log };
}

interface Refused {
  readonly setting: Setting;
  readonly count: number;
  /** Of the channel. */
  readonly ref: string;
  /** Epoch milliseconds of the last one. */
  readonly at: number;
  readonly loggedAt: number;
}

export interface RefusedWebhooks extends Omit<Refused, 'loggedAt'> {
  readonly channelId: string;
}

const refused = new WeakMap<Receiver, Refused>();

export function noteRefused(
  receiver: Receiver,
  { ref, setting }: { readonly ref: string; readonly setting: Setting },
): void {
  const { clock, log } = receiver.environment;
  const before = refused.get(receiver);
  const at = clock.now();
  const count = (before?.count ?? 0) + 1;
  const shouldLog = before === undefined || at - before.loggedAt >= LOG_EVERY_MS;
  refused.set(receiver, { ref, setting, count, at, loggedAt: shouldLog ? at : before.loggedAt });
  const fields = { channelId: receiver.channelId, setting, count };
  if (shouldLog) log.warn(fields, `${LOG_EVENT.webhookRefused}: ${setting} does not fit`);
}

export function notePassed(receiver: Receiver): void {
  refused.delete(receiver);
}

/** Null where the last one has passed, or none has come for a while. */
export function refusedOf(receiver: Receiver): RefusedWebhooks | null {
  const known = refused.get(receiver);
  if (known === undefined || receiver.environment.clock.now() - known.at > KEPT_MS) return null;
  const { ref, setting, count, at } = known;
  return { channelId: receiver.channelId, ref, setting, count, at };
}
