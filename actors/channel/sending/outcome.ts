/**
 * Records the network's answer to a send in the message's conversation. Then the
 * message's queue receives the result, and readiness and restrictions learn of it.
 *
 * 1. A message is complete only when its receipt is on record. A receipt that was abandoned with
 *    the lease leaves the message in doubt. The watermark outlives the sender: raised too early, it
 *    would let the next owner in this process send later messages first.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../../shared/limits.ts';
import type { SendOutcome } from '../../../shared/ports/network.ts';
import {
  type NetworkName,
  namesOf,
  type Receipt,
} from '../../domain/conversation/network-message.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { BatchContext, Sending } from './batch-context.ts';
import type { Later, SendResult } from './send-result.ts';
import { submitReceipt } from './unmatched-receipts.ts';

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
  switch (outcome.outcome) {
    case 'accepted':
      return recordAccepted(context, sending, outcome);
    case 'refused': {
      if (outcome.channelReason !== undefined)
        context.readiness.blockChannel(outcome.channelReason);
      if (outcome.restriction) context.restrictions.restrict(outcome.restriction);
      const { code, reason: message } = outcome;
      return failMessage(context, sending, { code, message, byNetwork: true });
    }
    case 'later':
      return recordLater(context, sending, outcome);
    case 'unknown': {
      if (outcome.outage) await countOutage(context, sending);
      const { provider } = sending.configuration.network;
      const { findSent } = context.environment.networks.driver(provider);
      const waitMs = findSent ? FIRST_LOOKUP_MS : IN_DOUBT_SEND_WAIT_MS;
      return context.onResult(sending.queue, { result: 'ambiguous', waitMs, unanswered: true });
    }
    default:
      outcome satisfies never;
  }
}

/** @param accepted the network's names of the message and of its contact */
export async function recordAccepted(
  context: BatchContext,
  { entry, send, queue }: Sending,
  accepted: NetworkName & { readonly networkId?: string },
): Promise<void> {
  const { conversationId, _id: messageId } = entry;
  const { externalId, networkId } = accepted;
  context.sent.keep(externalId, { conversationId, messageId });
  const at = context.environment.clock.now();
  const receipt: Receipt = { status: 'sent', at, ...namesOf(accepted) };
  const report = { conversationId, messageId, receipt, networkId };
  if (!(await submitReceipt(context.environment, report)))
    return context.onResult(queue, LEASE_ENDED);
  context.sent.keepRecorded(externalId, report, networkId);
  // An earlier owner may have kept receipts of a message that was in doubt.
  const isInherited = send.doubtSince !== undefined || send.epoch !== context.epoch;
  if (isInherited || context.unmatched.has(externalId)) {
    await context.unmatched.apply({ conversationId, messageId, externalId });
  }
  context.inDoubt.delete(messageId);
  if (entry.message?.content?.type === 'template') context.restrictions.acceptedTemplate();
  context.onResult(queue, { result: 'done', byNetwork: true, accepted: true });
}

export async function failMessage(
  context: BatchContext,
  { entry, queue }: Sending,
  { byNetwork, ...error }: NonNullable<Receipt['error']> & { readonly byNetwork: boolean },
): Promise<void> {
  const { conversationId, _id: messageId } = entry;
  const receipt: Receipt = { status: 'failed', at: context.environment.clock.now(), error };
  const recorded = await submitReceipt(context.environment, { conversationId, messageId, receipt });
  if (!recorded) return context.onResult(queue, LEASE_ENDED);
  context.inDoubt.delete(messageId);
  context.onResult(queue, { result: 'done', byNetwork });
}

async function recordLater(context: BatchContext, sending: Sending, later: Later): Promise<void> {
  if (later.restriction) context.restrictions.restrict(later.restriction);
  const failures = (sending.send.failures ?? 0) + (later.failure ? 1 : 0);
  if (later.failure && failures >= FAILURES_MAX) {
    const { code, reason: message } = later.failure;
    return failMessage(context, sending, { code, message, byNetwork: false });
  }
  await requeue(context, sending, failures);
  context.inDoubt.delete(sending.entry._id);
  context.onResult(sending.queue, { result: 'later', later });
}

/** Nothing was sent: the message is queued again, and its attempt does not count. */
async function requeue(context: BatchContext, sending: Sending, failures: number): Promise<void> {
  const { entry, send } = sending;
  const { _id, conversationId } = entry;
  try {
    const attempt = { 'send.state': 'sending', 'send.attempt': send.attempt } as const;
    const filter = { _id, conversationId, ...attempt };
    const counted = failures > 0 ? { 'send.failures': failures } : {};
    const queued = { 'send.state': 'queued', 'send.attempt': send.attempt - 1 } as const;
    const $set = { ...queued, ...counted };
    await context.environment.store.commit([{ update: 'entries', filter, change: { $set } }]);
  } catch (fault) {
    // The mark remains: only this sender knows that nothing was sent, to another it is in doubt.
    const fields = { messageId: _id, error: describe(fault) };
    context.environment.log.warn(fields, 'requeue failed');
  }
}

/** The network fails as a whole: the attempt is none of those after which a send is given up. */
async function countOutage({ environment }: BatchContext, { entry, send }: Sending): Promise<void> {
  const { _id, conversationId } = entry;
  try {
    const attempt = { 'send.state': 'sending', 'send.attempt': send.attempt } as const;
    const filter = { _id, conversationId, ...attempt };
    const change = { $inc: { 'send.outages': 1 } };
    await environment.store.commit([{ update: 'entries', filter, change }]);
  } catch (fault) {
    environment.log.warn({ messageId: _id, error: describe(fault) }, 'outage not counted');
  }
}

interface Ended {
  readonly conversationId: string;
  readonly messageId: string | undefined;
}

/** Reports a result, which its queue has, to the number's readiness and to its restrictions. */
export function reportResult(
  { readiness, restrictions }: Pick<BatchContext, 'readiness' | 'restrictions'>,
  { conversationId, messageId }: Ended,
  result: SendResult,
): void {
  switch (result.result) {
    case 'done':
      readiness.sendEnded(conversationId);
      return restrictions.ended(messageId, result.accepted === true);
    case 'ambiguous':
      return;
    case 'preceded':
    case 'retry':
      return restrictions.requeued(messageId);
    case 'held':
      return readiness.sendEnded(conversationId);
    case 'cancelled':
      readiness.sendEnded(conversationId);
      return restrictions.requeued(messageId);
    case 'later': {
      restrictions.requeued(messageId);
      const { channelReason } = result.later;
      if (channelReason !== undefined) readiness.blockChannel(channelReason);
      return;
    }
    default:
      result satisfies never;
  }
}
