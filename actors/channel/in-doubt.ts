/**
 * Messages of which nobody knows whether they were sent: the answer was lost, or whoever handed
 * them over is gone (I29). `domain/send-in-doubt` decides.
 *
 * 1. For 12 s a status that carries our id may still tell; meanwhile the conversation waits. A new
 *    owner waits anew: the networks deliver again what was not taken.
 * 2. Where the network can be asked, it is: at once, and once more before sending again. What was
 *    in doubt once is looked for again before every later attempt.
 * 3. Exactly once wherever the network tells. Where its look-up cannot tell, repeated once at most.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { SentLookup } from '../../shared/ports/network.ts';
import { decideInDoubt } from '../domain/send-in-doubt.ts';
import { describe } from '../runtime/mailbox.ts';
import {
  type BatchContext,
  type QueuedEntry,
  type Sending,
  STORE_RETRY_MS,
} from './batch-context.ts';
import { failMessage, recordAccepted } from './outcome.ts';

const UNCONFIRMED = {
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
  // Marked by this very desk and never handed over: only the answer to the mark was lost.
  return send.epoch !== context.epoch || context.inDoubt.has(entry._id);
}

/** The message as it is to be sent (again) now; null: its lane has been judged. */
export async function resolveInDoubt(
  context: BatchContext,
  sending: Sending,
): Promise<Sending | null> {
  const { onResult, queue, send } = sending;
  const { clock, log } = context.environment;
  try {
    const lookup = await lookUp(context, sending);
    const now = clock.now();
    const decision = decideInDoubt({
      ...{ found: lookup?.found ?? null, sending: send.state === 'sending' },
      ...{ attempt: send.attempt, statusWaitMs: remainingWaitMs(context, send, now) },
      ...{ ageMs: now - send.at },
      ...(send.blindAttempt === undefined ? {} : { blindAttempt: send.blindAttempt }),
    });
    if (lookup?.found === true) await recordAccepted(context, sending, lookup);
    else if (decision.next === 'wait') {
      onResult(queue, { result: 'ambiguous', waitMs: decision.ms });
    } else if (decision.next === 'send') {
      return decision.blind ? repeatedBlindly(sending) : sending;
    } else await failMessage(context, sending, { ...UNCONFIRMED, byNetwork: false });
  } catch (fault) {
    log.warn(
      { channelId: context.channelId, error: describe(fault) },
      'recovery of a send in doubt failed',
    );
    onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
  }
  return null;
}

/** The next attempt is the one that no look-up justifies. */
function repeatedBlindly(sending: Sending): Sending {
  const { send } = sending;
  return { ...sending, send: { ...send, blindAttempt: send.attempt + 1 } };
}

/**
 * How long a status may still tell before anything else is done. While nobody owned the channel
 * nobody could hear one: the wait begins anew with each owner.
 */
function remainingWaitMs(context: BatchContext, send: Sending['send'], now: number): number {
  if (send.state !== 'sending') return 0;
  return Math.max(send.since ?? now, context.beganAt) + IN_DOUBT_SEND_WAIT_MS - now;
}

function doubtSince(send: Sending['send'], fallback: number): number {
  return send.doubtSince ?? send.since ?? fallback;
}

/** Null where the network has no look-up. */
async function lookUp(context: BatchContext, sending: Sending): Promise<SentLookup | null> {
  const { configuration, entry, send } = sending;
  const { network } = configuration;
  const driver = context.environment.networks.driver(network.provider);
  if (driver.findSent === undefined) return null;
  const lookup = await driver.findSent(network, {
    messageId: entry._id,
    to: entry.after.networkId ?? entry.after.contact.phone,
    text: entry.message?.text ?? '',
    ...(send.ownId === undefined ? {} : { ownId: send.ownId }),
    hasMedia: (entry.message?.media ?? null) !== null,
    handedOverAt: doubtSince(send, entry.after.at),
    recorded: await recordedIdsOf(context, entry.conversationId),
  });
  const fields = { channelId: context.channelId, messageId: entry._id, found: lookup.found };
  context.environment.log.info(fields, LOG_EVENT.sendLookedFor);
  return lookup;
}

/** Which of the chat's messages are known to be others. */
async function recordedIdsOf(
  context: BatchContext,
  conversationId: string,
): Promise<ReadonlySet<string>> {
  const entries = await context.environment.store.find<QueuedEntry>(
    'entries',
    { conversationId },
    { sort: { seq: -1 }, limit: ENTRIES_READ, project: { externalId: 1 } },
  );
  return new Set(entries.flatMap(({ externalId }) => externalId ?? []));
}
