/**
 * Second look at a message that was scheduled, between its mark and its transmission (I34). A
 * contact whose opt-out was answered before the mark gets nothing. A caller's own send goes all the
 * same.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../shared/limits.ts';
import { OPTED_OUT } from '../domain/schedule.ts';
import { describe } from '../runtime/describe-fault.ts';
import { hasOptedOut, readAnswering } from '../schedule/opt-outs.ts';
import type { BatchContext, Sending } from './batch-context.ts';
import { failMessage, recordOutcome } from './outcome.ts';

/** Nothing was sent: the send is retried. */
const RETRY_LATER = { outcome: 'later', scope: 'pair', waitMs: 1_000 } as const;

/** Whether it may be transmitted now; if not, its queue has received a result. Never rejects. */
export async function passesSecondLook(context: BatchContext, sending: Sending): Promise<boolean> {
  const { entry, queue } = sending;
  if (entry.message?.schedule === undefined) return true;
  const { store, leaseHeld, log } = context.environment;
  try {
    const answering = await readAnswering(store, entry.conversationId);
    if (answering && (await hasOptedOut(store, answering))) {
      await failMessage(context, sending, { ...OPTED_OUT, byNetwork: false });
      return false;
    }
  } catch (fault) {
    log.warn({ messageId: entry._id, error: describe(fault) }, 'second look failed');
    await recordOutcome(context, sending, RETRY_LATER);
    return false;
  }
  // The lease may have ended meanwhile: the next owner resolves the message.
  if (leaseHeld() && !context.closed) return true;
  context.onResult(queue, { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS });
  return false;
}
