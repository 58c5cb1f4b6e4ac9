/**
 * Records the network's answer to a send in the message's conversation, then reports the result to
 * its queue.
 *
 * 1. A message is complete only when its receipt is on record. A receipt that was abandoned with
 *    the lease leaves the message in doubt. The watermark outlives the sender: raised too early, it
 *    would let the next owner in this process send later messages first.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../shared/limits.ts';
import type { SendOutcome } from '../../shared/ports/network.ts';
import type { Receipt } from '../domain/receipt.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { Later } from './backoff.ts';
import type { BatchContext, Sending, SendResult } from './batch-context.ts';
import { submitReceipt } from './submit-report.ts';

/** Faults of the network on one message until the message fails. */
const FAILURES_MAX = 10;
/** Wait before the first look-up, where the network has one. */
const FIRST_LOOKUP_MS = 2_000;
const LEASE_ENDED: SendResult = { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS };

/** Records the outcome, then reports the result to the message's queue. */
export async function recordOutcome(
  context: BatchContext,
  sending: Sending,
  outcome: SendOutcome,
): Promise<void> {
  const { configuration, onResult, queue } = sending;
  switch (outcome.outcome) {
    case 'accepted':
      return recordAccepted(context, sending, outcome);
    case 'refused': {
      if (outcome.channelReason !== undefined)
        context.readiness.blockChannel(outcome.channelReason);
      if (outcome.restriction) context.firstContacts.restrict(outcome.restriction);
      const { code, reason: message } = outcome;
      return failMessage(context, sending, { code, message, byNetwork: true });
    }
    case 'later':
      return recordLater(context, sending, outcome);
    case 'unknown': {
      const driver = context.environment.networks.driver(configuration.network.provider);
      const waitMs = driver.findSent ? FIRST_LOOKUP_MS : IN_DOUBT_SEND_WAIT_MS;
      return onResult(queue, { result: 'ambiguous', waitMs, unanswered: true });
    }
    default:
      outcome satisfies never;
  }
}

/** The network's names of an accepted message and of its contact. */
interface AcceptedAs {
  readonly externalId: string;
  readonly fullId?: string;
  readonly networkId?: string;
}

export async function recordAccepted(
  context: BatchContext,
  { entry, send, onResult, queue }: Sending,
  { externalId, fullId, networkId }: AcceptedAs,
): Promise<void> {
  const { conversationId, _id: messageId } = entry;
  context.sent.keep(externalId, { conversationId, messageId });
  const names = { externalId, ...(fullId === undefined ? {} : { fullId }) };
  const receipt: Receipt = { status: 'sent', at: context.environment.clock.now(), ...names };
  const report = { conversationId, messageId, receipt, networkId };
  if (!(await submitReceipt(context.environment, report))) return onResult(queue, LEASE_ENDED);
  context.sent.keepRecorded(externalId, report, networkId);
  // An earlier owner may have kept receipts of a message that was in doubt.
  if (context.unmatched.has(externalId) || isInherited(context, send)) {
    await context.unmatched.apply({ conversationId, messageId, externalId });
  }
  context.inDoubt.delete(messageId);
  onResult(queue, { result: 'done', byNetwork: true, accepted: true });
}

function isInherited(context: BatchContext, send: Sending['send']): boolean {
  return send.doubtSince !== undefined || send.epoch !== context.epoch;
}

interface Failure {
  readonly code: string;
  /** Portuguese. */
  readonly message: string;
  readonly byNetwork: boolean;
}

export async function failMessage(
  context: BatchContext,
  { entry, onResult, queue }: Sending,
  { code, message, byNetwork }: Failure,
): Promise<void> {
  const { conversationId, _id: messageId } = entry;
  const error = { code, message };
  const receipt: Receipt = { status: 'failed', at: context.environment.clock.now(), error };
  const recorded = await submitReceipt(context.environment, { conversationId, messageId, receipt });
  if (!recorded) return onResult(queue, LEASE_ENDED);
  context.inDoubt.delete(messageId);
  onResult(queue, { result: 'done', byNetwork });
}

async function recordLater(context: BatchContext, sending: Sending, later: Later): Promise<void> {
  const failures = (sending.send.failures ?? 0) + (later.failure ? 1 : 0);
  if (later.failure && failures >= FAILURES_MAX) {
    const { code, reason: message } = later.failure;
    return failMessage(context, sending, { code, message, byNetwork: false });
  }
  await requeue(context, sending, failures);
  context.inDoubt.delete(sending.entry._id);
  sending.onResult(sending.queue, { result: 'later', ...later });
}

/** Nothing was sent: the message is queued again, and its attempt does not count. */
async function requeue(context: BatchContext, sending: Sending, failures: number): Promise<void> {
  const { entry, send } = sending;
  try {
    await context.environment.store.commit([
      {
        update: 'entries',
        filter: { _id: entry._id, 'send.state': 'sending', 'send.attempt': send.attempt },
        change: {
          $set: {
            'send.state': 'queued',
            'send.attempt': send.attempt - 1,
            ...(failures > 0 ? { 'send.failures': failures } : {}),
          },
        },
      },
    ]);
  } catch (fault) {
    // The mark remains. This sender knows that nothing was sent; another owner treats it as in
    // doubt.
    context.environment.log.warn(
      { messageId: entry._id, error: describe(fault) },
      'requeue failed',
    );
  }
}
