/**
 * Scheduled messages: their place in the history, and their settlement (D293, D294).
 *
 * 1. An accepted message has its entry at once. It takes no place in the sending order, and the
 *    conversation's last message stays.
 * 2. One settlement follows: the message is released, is cancelled or fails. The id of its entry
 *    derives from the message's, so the first settlement stays for ever.
 * 3. A released message has the place of its settlement in the sending order. Messages go to the
 *    network in the order in which they became due.
 * 4. Nothing is decided before the time of the message. Then all is decided anew.
 */
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { FAILURES, type Failure, invalid } from '../../../shared/failures.ts';
import { SCHEDULE_LATE_MS, SCHEDULE_MAX_MS, SCHEDULE_PAST_MAX_MS } from '../../../shared/limits.ts';
import { type Schedule, STATUS_RANK, type StoredMessage } from '../../../shared/message.ts';
import type { TemplateMessage } from '../../../shared/message-content.ts';
import type { MessageKind } from '../../../shared/vocabulary.ts';
import type { OutboxEvent } from '../../../shared/wire/outbox.ts';
import {
  type Accepted,
  type Appended,
  appendEntry,
  type ConversationState,
  messageEventData,
  previewOf,
  withHistoryAt,
} from './conversation.ts';
import { historyTime, isMoved, oneMorePlace } from './history-order.ts';
import { REVISIONS_PER_STATUS } from './network-message.ts';
import { fallbackDraft } from './outbound-content.ts';
import type { MessageError, Settlement } from './settlement.ts';
import { urgencyField, urgencyOf } from './urgency.ts';
import { judgeWindow, type WindowFacts } from './window.ts';

/** A scheduled message with its place in its log. */
export interface ScheduledEntry {
  readonly id: string;
  readonly seq: number;
  readonly message: StoredMessage;
}

/** Why a time is refused; null when it may be scheduled. */
export function refuseTime({ at }: Pick<Schedule, 'at'>, now: number): Failure | null {
  if (at >= now - SCHEDULE_PAST_MAX_MS && at <= now + SCHEDULE_MAX_MS) return null;
  return invalid({ path: 'sendAt', message: SENTENCES.scheduleRange });
}

interface Timing {
  readonly schedule: Schedule;
  readonly outsideWindow?: 'send' | 'refuse' | undefined;
}

/**
 * The send, held until its time. One whose time has come is held too, and released a moment later:
 * it overtakes no message that was due before it.
 */
export function decideSchedule(
  before: ConversationState,
  sent: Accepted,
  { schedule, outsideWindow }: Timing,
): Accepted {
  const { previousSeq: _none, ...held } = sent;
  const { seq, at, messages, participants } = sent.state;
  return {
    ...held,
    state: {
      ...withHistoryAt(before, Math.max(historyTime(before), sent.message.createdAt)),
      ...{ seq, at, messages, participants },
    },
    message: {
      ...sent.message,
      schedule,
      status: 'scheduled',
      ...(outsideWindow === 'refuse' ? { outsideWindow } : {}),
    },
    queued: false,
  };
}

export interface DueFacts {
  readonly now: number;
  /** The contact wants no messages. */
  readonly optedOut: boolean;
  /** The template to be sent is one of marketing, and the contact wants none. */
  readonly noMarketing: boolean;
  readonly window: WindowFacts;
  /** Why the template to be sent may not be sent now; null: it may, or there is none. */
  readonly templateFault: string | null;
}

type Verdict =
  | { readonly outcome: 'released'; readonly asFallback?: true }
  | { readonly outcome: 'failed'; readonly error: MessageError };

export const OPTED_OUT: MessageError = {
  code: 'opted_out',
  message: 'O contato pediu para não receber mensagens.',
};
/** The contact wants no marketing messages, or none at all, and the message is one. */
export const NO_MARKETING: MessageError = {
  code: 'marketing_opt_out',
  message: FAILURES.marketing_opt_out.sentence,
};
const LATE: MessageError = {
  code: 'late',
  message: 'A mensagem passou mais de uma hora do seu horário e não foi enviada.',
};
const WINDOW_CLOSED: MessageError = {
  code: 'window_closed',
  message: FAILURES.window_closed.sentence,
};

/** Verdict on a message whose time has come; null: it has not. */
export function judgeDue(message: StoredMessage, facts: DueFacts): Verdict | null {
  const { now, optedOut, noMarketing, templateFault } = facts;
  const { schedule } = message;
  if (!schedule || schedule.at > now) return null;
  if (noMarketing) return fail(NO_MARKETING);
  if (optedOut) return fail(OPTED_OUT);
  if (schedule.ifLate === 'expire' && now - schedule.at > SCHEDULE_LATE_MS) return fail(LATE);
  const byWindow = windowVerdict(message, facts);
  if (byWindow === 'refuse') return fail(WINDOW_CLOSED);
  if (templateFault !== null) return fail({ code: 'template', message: templateFault });
  return { outcome: 'released', ...(byWindow === 'replace' ? { asFallback: true } : {}) };
}

/** A template needs no window. */
function windowVerdict(
  { content, fallback, outsideWindow }: StoredMessage,
  { window, now }: Pick<DueFacts, 'window' | 'now'>,
): 'send' | 'refuse' | 'replace' {
  if (content?.type === 'template') return 'send';
  const hasFallback = fallback !== undefined;
  return judgeWindow(window, { hasFallback, ...(outsideWindow ? { outsideWindow } : {}) }, now);
}

/** The template that would be sent now, with the kind of its file; null: none. */
export function dueForm(
  message: StoredMessage,
  facts: Pick<DueFacts, 'window' | 'now'>,
): { readonly template: TemplateMessage | null; readonly kind: MessageKind } {
  const { content, fallback, kind } = message;
  if (content?.type === 'template') return { template: content.template, kind };
  const isReplaced = fallback && windowVerdict(message, facts) === 'replace';
  return isReplaced ? fallback : { template: null, kind };
}

function fail(error: MessageError): Verdict {
  return { outcome: 'failed', error };
}

interface Due extends Pick<DueFacts, 'now' | 'window'> {
  readonly verdict: Verdict;
  readonly to: string;
}

/** The settlement's entry of a message whose time has come. */
export function decideDue(
  state: ConversationState,
  scheduled: ScheduledEntry,
  { verdict, to, now, window }: Due,
): Appended {
  if (verdict.outcome === 'failed')
    return decideFailure(state, scheduled, { error: verdict.error, now });
  const at = Math.max(state.at, now);
  const { outcome, asFallback } = verdict;
  const settles: Settlement = {
    ...{ messageId: scheduled.id, outcome, at, previousSeq: state.queuedSeq, to },
    ...(asFallback ? { asFallback } : {}),
    ...urgencyField(urgencyOf(scheduled.message, window, at)),
  };
  const shown = settledMessage(scheduled.message, settles);
  const latest = at >= state.lastMessageAt;
  const last = {
    lastMessageAt: at,
    lastMessagePreview: previewOf(shown),
    lastMessageSeq: scheduled.seq,
  };
  const moved = isMoved(scheduled.message, at) ? oneMorePlace(state) : {};
  const released = appendEntry({ ...state, ...(latest ? last : {}), ...moved }, now);
  return { ...released, state: { ...released.state, queuedSeq: released.state.seq }, settles };
}

function decideFailure(
  state: ConversationState,
  { id: messageId, message }: ScheduledEntry,
  { error, now }: { readonly error: MessageError; readonly now: number },
): Appended {
  const at = Math.max(state.at, now);
  const event: OutboxEvent = {
    type: 'event',
    id: `${messageId}.message.failed`,
    event: 'message.failed',
    data: { ...messageEventData(state, message, { messageId, occurredAt: at }), error },
  };
  const settles: Settlement = { messageId, outcome: 'failed', at, error };
  return { ...appendEntry(state, now, [event]), settles };
}

/** The settlement's entry of a message that is not to be sent. It emits no event. */
export function decideCancel(
  state: ConversationState,
  { id: messageId }: Pick<ScheduledEntry, 'id'>,
  now: number,
): Appended {
  const at = Math.max(state.at, now);
  return { ...appendEntry(state, now), settles: { messageId, outcome: 'cancelled', at } };
}

const STATUS_AFTER = { released: 'queued', cancelled: 'cancelled', failed: 'failed' } as const;

function withStatus(
  message: StoredMessage,
  status: (typeof STATUS_AFTER)[Settlement['outcome']],
): StoredMessage {
  const revision = Math.max(message.revision + 1, STATUS_RANK[status] * REVISIONS_PER_STATUS);
  return { ...message, revision, status };
}

/** A message that leaves its channel's queue unsent. */
export function cancelledMessage(message: StoredMessage): StoredMessage {
  return withStatus(message, 'cancelled');
}

/** The message after its settlement. */
export function settledMessage(message: StoredMessage, settles: Settlement): StoredMessage {
  const settled = withStatus(message, STATUS_AFTER[settles.outcome]);
  if (settles.outcome === 'failed') return { ...settled, error: settles.error };
  if (settles.outcome === 'cancelled') return settled;
  const { fallback } = message;
  const released = isMoved(message, settles.at) ? { ...settled, releasedAt: settles.at } : settled;
  if (!settles.asFallback || !fallback) return released;
  const { fallback: _sent, ...rest } = released;
  return { ...rest, replyToId: null, ...fallbackDraft(fallback) };
}
