/**
 * Class of a message in its channel's queue, fixed once it is accepted for sending. A scheduled
 * message is accepted for sending when it is released.
 */
import { REPLY_WITHIN_MS } from '../../../shared/limits.ts';
import type { StoredMessage } from '../../../shared/message.ts';
import type { Urgency } from '../../../shared/vocabulary.ts';
import type { WindowFacts } from './window.ts';

/** @param at when it was accepted, epoch milliseconds */
export function urgencyOf(
  { bulk, author }: Pick<StoredMessage, 'bulk' | 'author'>,
  { lastInboundAt }: Pick<WindowFacts, 'lastInboundAt'>,
  at: number,
): Urgency {
  if (bulk) return 'bulk';
  if (author.kind === 'member') return 'reply';
  const isAnswer = lastInboundAt !== undefined && at - lastInboundAt <= REPLY_WITHIN_MS;
  return isAnswer ? 'reply' : 'normal';
}

/** As it is stored: a normal message says nothing, as those of earlier versions. */
export function urgencyField(urgency: Urgency): { urgency?: Exclude<Urgency, 'normal'> } {
  return urgency === 'normal' ? {} : { urgency };
}
