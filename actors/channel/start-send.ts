/**
 * Starts the send of a message that is journaled as `sending`, and records the network's answer.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { SendOutcome } from '../../shared/ports/network.ts';
import { revisionOf } from '../domain/network-readiness.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { BatchContext, Sending } from './batch-context.ts';
import { recordOutcome } from './outcome.ts';
import { transmit } from './transmit.ts';

/** Returns at once; the message's queue receives the result later. */
export function startSend(context: BatchContext, sending: Sending): void {
  context.inFlight.add(sending.entry.conversationId, sendAndRecord(context, sending));
}

/** Never rejects. */
async function sendAndRecord(context: BatchContext, sending: Sending): Promise<void> {
  const { onResult, queue, entry } = sending;
  const { log, leaseHeld } = context.environment;
  // If the lease has ended since the mark, the next owner resolves the message.
  if (!leaseHeld() || context.closed) {
    return onResult(queue, { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS });
  }
  try {
    await recordOutcome(context, sending, await send(context, sending));
  } catch (fault) {
    log.error({ messageId: entry._id, error: describe(fault) }, 'a send failed');
    onResult(queue, { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS });
  }
}

async function send(context: BatchContext, sending: Sending): Promise<SendOutcome> {
  const { entry } = sending;
  const { conversationId, requestId, _id: messageId } = entry;
  context.sent.keep(messageId, { conversationId, messageId });
  context.inDoubt.add(messageId);
  const outcome = await transmit(context, sending);
  const revision = revisionOf(sending.configuration.entry);
  context.readiness.recordSend({ conversationId, revision, outcome });
  const { attempt } = sending.send;
  const { channelId } = context;
  context.environment.log.info(
    { channelId, messageId, requestId, attempt, ...logFields(outcome) },
    LOG_EVENT.send,
  );
  return outcome;
}

function logFields(outcome: SendOutcome): Readonly<Record<string, unknown>> {
  return {
    outcome: outcome.outcome,
    ...(outcome.outcome === 'refused' ? { code: outcome.code } : {}),
    ...(outcome.outcome === 'later' ? { scope: outcome.scope } : {}),
    ...('cause' in outcome && outcome.cause !== undefined ? { cause: outcome.cause } : {}),
    ...('fault' in outcome && outcome.fault !== undefined ? { fault: outcome.fault.kind } : {}),
    ...('channelReason' in outcome ? { reason: outcome.channelReason } : {}),
  };
}
