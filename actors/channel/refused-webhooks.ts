/**
 * Webhooks that failed verification since the last one that passed, per channel of this process.
 * The log and `recado doctor` show them. A webhook's address is public, so a refusal expires.
 */
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';

/** One log line covers all refusals within this time. */
const LOG_EVERY_MS = 10_000;
const KEPT_MS = 600_000;

/** The setting of the channel that does not match the network's. */
type Setting = 'appSecret' | 'verifyToken' | 'webhookSecret';

interface Receiver {
  readonly channelId: string;
  readonly environment: { readonly clock: Clock; readonly log: Log };
}

interface Refused {
  readonly setting: Setting;
  readonly count: number;
  /** The channel's `ref`. */
  readonly ref: string;
  /** Epoch milliseconds of the last refusal. */
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

/** Null where the last webhook passed, or the last refusal has expired. */
export function refusedOf(receiver: Receiver): RefusedWebhooks | null {
  const known = refused.get(receiver);
  if (known === undefined || receiver.environment.clock.now() - known.at > KEPT_MS) return null;
  const { ref, setting, count, at } = known;
  return { channelId: receiver.channelId, ref, setting, count, at };
}
