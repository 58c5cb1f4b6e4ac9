/** Applies the result of a send to its queue, its number and the first contacts. */
import { IN_DOUBT_SEND_WAIT_MS } from '../../shared/limits.ts';
import type { Backlog } from './backlog.ts';
import { backoffMs } from './backoff.ts';
import type { SendResult } from './batch-context.ts';
import type { ConversationQueue, ConversationQueues } from './conversation-queues.ts';
import type { FirstContacts } from './first-contacts.ts';
import type { NumberBreaker } from './number-breaker.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ReadinessProbe } from './readiness-probe.ts';

interface SendResultContext {
  readonly queues: ConversationQueues;
  readonly backlog: Backlog;
  readonly breaker: NumberBreaker;
  readonly rateLimiter: RateLimiter;
  readonly firstContacts: FirstContacts;
  readonly readiness: Pick<ReadinessProbe, 'blockChannel' | 'sendEnded'>;
  /** Called when memory has room again for messages that the store holds. */
  readonly onNeedsRefill: () => void;
}

interface QueueResult {
  readonly queue: ConversationQueue;
  readonly result: SendResult;
  /** Monotonic milliseconds. */
  readonly now: number;
}

export function applySendResult(
  context: SendResultContext,
  { queue, result, now }: QueueResult,
): void {
  const { queues, breaker, firstContacts } = context;
  const messageId = queue.messages[0]?.entryId;
  switch (result.result) {
    case 'done':
      queues.completeOldest(queue);
      context.readiness.sendEnded(queue.conversationId);
      firstContacts.ended(messageId, result.accepted === true);
      if (result.byNetwork && breaker.recordSuccess(now)) queues.wakeHeldByNumber();
      if (context.backlog.needsRefill()) context.onNeedsRefill();
      return;
    case 'ambiguous':
      queues.wait(queue, now + Math.min(result.waitMs, IN_DOUBT_SEND_WAIT_MS));
      if (result.unanswered) breaker.recordUnanswered(queue.conversationId, now);
      return;
    case 'retry':
      firstContacts.requeued(messageId);
      return queues.wait(queue, now + result.waitMs);
    case 'held':
      context.rateLimiter.refund(1);
      context.readiness.sendEnded(queue.conversationId);
      return queues.wait(queue, now + result.waitMs, 'as first');
    case 'later':
      firstContacts.requeued(messageId);
      return applyRejection(context, queue, { result, now });
    default:
      result satisfies never;
  }
}

function applyRejection(
  { queues, breaker, readiness }: SendResultContext,
  queue: ConversationQueue,
  {
    result,
    now,
  }: { readonly result: Extract<SendResult, { result: 'later' }>; readonly now: number },
): void {
  const { scope, channelReason } = result;
  const ofPair = scope === 'pair';
  // An outage of the number does not count for the pair, whose waits grow faster.
  queue.backoffs = queue.backoffsOfPair === ofPair ? queue.backoffs + 1 : 1;
  queue.backoffsOfPair = ofPair;
  const until = now + backoffMs(result, queue.backoffs);
  queues.wait(queue, until, ofPair ? null : 'by number');
  if (!ofPair) {
    if (result.unprobed) breaker.holdUntil(until);
    else breaker.recordRejection(queue.conversationId, scope, until);
  }
  if (channelReason !== undefined) readiness.blockChannel(channelReason);
}
