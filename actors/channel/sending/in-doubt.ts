/**
 * In-doubt recovery of sends: the answer was lost, or the process that transmitted the message has
 * ended (I29). `domain/conversation/send-in-doubt` decides.
 *
 * 1. For 12 s a status with our id may still resolve the send; meanwhile the conversation waits.
 *    The wait restarts with a new owner: networks repeat webhooks that were not acknowledged.
 * 2. A network with a look-up is asked at once, and again before each repeat. A message that was in
 *    doubt once is looked up before every later attempt.
 * 3. A send happens exactly once if the network's answer is conclusive. If its look-up cannot be,
 *    the message is repeated once at most.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../../shared/limits.ts';
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { SentLookup } from '../../../shared/ports/network.ts';
import { decideInDoubt } from '../../domain/conversation/send-in-doubt.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { type BatchContext, type Sending, STORE_RETRY_MS } from './batch-context.ts';
import { expiryOf } from './expiry.ts';
import { failMessage, recordAccepted } from './outcome.ts';
import { logsOfChat, newestByOrder } from './sending-order.ts';
import { addressOf } from './transmit.ts';

const UNCONFIRMED = {
  byNetwork: false,
  code: 'unconfirmed',
  message: 'A rede não confirmou o envio da mensagem.',
};
const ENTRIES_READ = 200;

export function isInDoubt(
  context: Pick<BatchContext, 'epoch' | 'inDoubt'>,
  { entry, send }: Pick<Sending, 'entry' | 'send'>,
): boolean {
  if (send.doubtSince !== undefined) return true;
  if (send.state !== 'sending') return false;
  // This sender marked the message and did not transmit it: only the answer to the mark was lost.
  return send.epoch !== context.epoch || context.inDoubt.has(entry._id);
}

/** The message to send (again) now; null: its queue has received a result. */
export async function resolveInDoubt(
  context: BatchContext,
  sending: Sending,
): Promise<Sending | null> {
  const { queue, send } = sending;
  const { clock, log } = context.environment;
  try {
    const lookup = await lookUp(context, sending);
    const now = clock.now();
    const decision = decideInDoubt({
      found: lookup?.found ?? null,
      sending: send.state === 'sending',
      attempt: send.attempt - (send.outages ?? 0),
      statusWaitMs: remainingWaitMs(context, send, now),
      ageMs: now - waitedFrom(sending),
      expired: now > expiryOf(sending),
      ...(send.blindAttempt === undefined ? {} : { blindAttempt: send.blindAttempt }),
    });
    if (lookup?.found === true) await recordAccepted(context, sending, lookup);
    else if (decision.next === 'wait') {
      context.onResult(queue, { result: 'ambiguous', waitMs: decision.ms });
    } else if (decision.next === 'send') {
      if (!decision.blind) return sending;
      // The next attempt is the one without a conclusive look-up.
      return { ...sending, send: { ...send, blindAttempt: send.attempt + 1 } };
    } else await failMessage(context, sending, UNCONFIRMED);
  } catch (fault) {
    const fields = { channelId: context.channelId, error: describe(fault) };
    log.warn(fields, 'recovery of a send in doubt failed');
    context.onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
  }
  return null;
}

/** A bulk message may have waited for days before its first attempt. */
function waitedFrom({ entry, send }: Sending): number {
  return entry.message?.bulk ? (send.doubtSince ?? send.since ?? send.at) : send.at;
}

/**
 * Milliseconds for which a status may still arrive. A channel without an owner receives no status,
 * so the wait restarts with each owner.
 */
function remainingWaitMs(context: BatchContext, send: Sending['send'], now: number): number {
  if (send.state !== 'sending') return 0;
  return Math.max(send.since ?? now, context.beganAt) + IN_DOUBT_SEND_WAIT_MS - now;
}

/** Null where the network has no look-up. */
async function lookUp(context: BatchContext, sending: Sending): Promise<SentLookup | null> {
  const { entry, send } = sending;
  const { network } = sending.configuration;
  const driver = context.environment.networks.driver(network.provider);
  if (driver.findSent === undefined) return null;
  const { text = null, content } = entry.message ?? {};
  const lookup = await driver.findSent(network, {
    ...addressOf(sending),
    text: text ?? '',
    ...(content === undefined ? {} : { content }),
    hasMedia: (entry.message?.media ?? null) !== null,
    handedOverAt: send.doubtSince ?? send.since ?? entry.after.at,
    recorded: await recordedIdsOf(context, entry.conversationId),
  });
  const fields = { channelId: context.channelId, messageId: entry._id, found: lookup.found };
  context.environment.log.info(fields, LOG_EVENT.sendLookedFor);
  return lookup;
}

/** Network ids of messages in this chat that are on record: none of them is the one in doubt. */
async function recordedIdsOf(
  { environment: { store } }: BatchContext,
  conversationId: string,
): Promise<ReadonlySet<string>> {
  const logs = await logsOfChat(store, conversationId);
  const entries = await Promise.all(logs.map((log) => newestByOrder(store, log, ENTRIES_READ)));
  return new Set(entries.flat().flatMap(({ externalId }) => externalId ?? []));
}
