/**
 * Dispatch batch: reads the oldest message of each queue, unless its nudge contained it. One
 * journaled write marks all of them `sending`; the mark fails if the entry has changed. Then it
 * transmits them concurrently and records the network's answers.
 *
 * 1. Each queue of the batch receives exactly one result, whatever fails.
 * 2. A message is sent only after its predecessor in the conversation.
 * 3. A message in doubt is resolved before it is sent again (`in-doubt`).
 * 4. Where the network accepts an id of ours, it is journaled with the mark of the first attempt.
 *    Each repeat uses it, and a look-up can ask for it.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../../shared/limits.ts';
import { hasOptedOut, hasRefusedMarketing, readAnswering } from '../../contact/opt-outs.ts';
import {
  isEndedByOptOut,
  isMarketingTemplate,
} from '../../domain/conversation/outbound-content.ts';
import { NO_MARKETING, OPTED_OUT } from '../../domain/conversation/schedule.ts';
import type { Write } from '../../model/collections.ts';
import type { EntryDocument, SendAgenda } from '../../model/conversation.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { ChannelConfiguration, ChannelEnvironment } from '../readiness/configuration.ts';
import { type BatchContext, type Sending, STORE_RETRY_MS } from './batch-context.ts';
import type { Dequeued } from './conversation-queue.ts';
import { expiryOf } from './expiry.ts';
import { isInDoubt, resolveInDoubt } from './in-doubt.ts';
import { failMessage, recordOutcome } from './outcome.ts';
import { urgencyIn } from './send-nudge.ts';
import { findPredecessor } from './sending-order.ts';
import { send } from './transmit.ts';

const TOO_OLD = {
  byNetwork: false,
  code: 'expired',
  message: 'A mensagem esperou mais de 24 horas na fila e não foi enviada.',
};
const UNPAID = {
  ...TOO_OLD,
  message:
    'A mensagem esperou mais de 24 horas na fila e não foi enviada: há uma pendência de pagamento ' +
    'na conta do WhatsApp Business.',
};
const EXPIRED = {
  ...TOO_OLD,
  message: 'A mensagem não saiu da fila dentro do seu prazo e não foi enviada.',
};
/** Wait before a batch rereads an entry that another writer has changed. */
const READ_AGAIN_MS = 1_000;
/** Nothing was sent: the send is retried. */
const RETRY_LATER = { outcome: 'later', scope: 'pair', waitMs: 1_000 } as const;

export async function dispatchBatch(
  context: BatchContext,
  configuration: ChannelConfiguration,
  items: readonly Dequeued[],
): Promise<void> {
  const entries = await readEntries(context, items);
  if (entries === null) return retryLater(context, items);
  const ready: Sending[] = [];
  for (const { queue, message } of items) {
    const entry = entries.get(message.entryId);
    if (!entry?.send) {
      context.inDoubt.delete(message.entryId);
      const isUnsent = entry?.cancelled !== undefined;
      const done = { result: 'done', byNetwork: false } as const;
      context.onResult(queue, isUnsent ? { result: 'cancelled' } : done);
      continue;
    }
    const sending = { configuration, queue, entry, send: entry.send };
    if (!context.completed.covers(entry.conversationId, entry.send.previousSeq)) {
      void afterPredecessor(context, sending);
    } else if (isInDoubt(context, sending)) void resolveThenSend(context, sending);
    else ready.push(sending);
  }
  await markAndSend(context, ready);
}

/** The store failed: nothing was sent. */
function retryLater(context: BatchContext, items: readonly Pick<Dequeued, 'queue'>[]): void {
  for (const { queue } of items)
    context.onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
}

/** Looks up the predecessor, whose nudge may be lost: while it is queued, it goes first (I2). */
async function afterPredecessor(context: BatchContext, sending: Sending): Promise<void> {
  const { conversationId } = sending.entry;
  const { previousSeq } = sending.send;
  const { completed, environment } = context;
  try {
    const covers = (seq: number): boolean => completed.covers(conversationId, seq);
    const known = { store: environment.store, covers };
    const { entry, seq = 0 } = (await findPredecessor(known, conversationId, previousSeq)) ?? {};
    // Its settlement is on record, and not yet on the message itself.
    const isUnapplied = entry?.message?.status === 'scheduled';
    if (isUnapplied) {
      return context.onResult(sending.queue, { result: 'retry', waitMs: READ_AGAIN_MS });
    }
    if (entry?.send) {
      const { _id: entryId, send } = entry;
      context.queues.add({ conversationId, entryId, seq, urgency: urgencyIn(send) });
    } else completed.raise(conversationId, previousSeq);
    context.onResult(sending.queue, { result: 'preceded' });
  } catch (fault) {
    const fields = { conversationId, error: describe(fault) };
    context.environment.log.warn(fields, 'predecessor look-up failed');
    retryLater(context, [sending]);
  }
}

async function resolveThenSend(context: BatchContext, sending: Sending): Promise<void> {
  const resolved = await resolveInDoubt(context, sending);
  if (resolved) await markAndSend(context, [resolved]);
}

async function readEntries(
  context: BatchContext,
  items: readonly Dequeued[],
): Promise<Map<string, EntryDocument> | null> {
  const { store } = context.environment;
  try {
    const fresh = items.flatMap(({ message }) => message.fresh ?? []);
    const $in = items.flatMap(({ message }) => (message.fresh ? [] : message.entryId));
    const read = $in.length === 0 ? [] : await store.find('entries', { _id: { $in } });
    return new Map([...fresh, ...read].map((entry) => [entry._id, entry]));
  } catch (fault) {
    const fields = { channelId: context.channelId, error: describe(fault) };
    context.environment.log.warn(fields, 'reading a dispatch batch failed');
    return null;
  }
}

/** Marks the messages and starts their sends. */
async function markAndSend(context: BatchContext, sendings: readonly Sending[]): Promise<void> {
  const { environment, epoch } = context;
  const now = environment.clock.now();
  const unexpired = sendings.filter((sending) => !expire(context, sending, now));
  const admitted = await context.restrictions.admit(unexpired);
  const due = admitted.map((sending) => ({ ...sending, send: withOwnId(environment, sending) }));
  if (due.length === 0) return;
  try {
    const marks = due.map((sending) => markWrite(context, sending, now));
    const outcomes = await environment.store.commit(marks);
    due.forEach((sending, index) => {
      // Another owner has marked this attempt, or a receipt has ended the send meanwhile.
      if (outcomes[index]?.ok !== true) {
        context.onResult(sending.queue, { result: 'ambiguous', waitMs: READ_AGAIN_MS });
      } else startSend(context, { ...sending, send: marked(sending.send, epoch, now) });
    });
  } catch (fault) {
    const fields = { channelId: context.channelId, error: describe(fault) };
    environment.log.warn(fields, 'marking a dispatch batch failed');
    retryLater(context, due);
  }
}

/** A message that waited too long fails and is not sent (I32). */
function expire(context: BatchContext, sending: Sending, now: number): boolean {
  if (now <= expiryOf(sending)) return false;
  const tooOld = context.restrictions.isUnpaid ? UNPAID : TOO_OLD;
  void failMessage(context, sending, sending.entry.message?.bulk ? EXPIRED : tooOld);
  return true;
}

/** The agenda with the network's id for the message (rule 4). */
export function withOwnId(
  { networks }: Pick<ChannelEnvironment, 'networks'>,
  { configuration: { network }, entry, send }: Omit<Sending, 'queue'>,
): SendAgenda {
  if (send.ownId !== undefined) return send;
  const ownId = networks.driver(network.provider).ownIdOf?.(network, entry._id) ?? null;
  return ownId === null ? send : { ...send, ownId };
}

/** The agenda after the mark of its next attempt. */
export function marked(send: SendAgenda, epoch: number, since: number): SendAgenda {
  return { ...send, state: 'sending', attempt: send.attempt + 1, epoch, since };
}

/** With `upsert`, an attempt that another writer marked shows as a duplicate. */
function markWrite(context: BatchContext, sending: Sending, now: number): Write {
  const { entry, send } = sending;
  const { _id, conversationId } = entry;
  const inDoubtSince = isInDoubt(context, sending)
    ? { 'send.doubtSince': send.doubtSince ?? send.since ?? now }
    : {};
  return {
    update: 'entries',
    filter: { _id, conversationId, 'send.state': send.state, 'send.attempt': send.attempt },
    change: {
      $set: {
        'send.state': 'sending',
        'send.epoch': context.epoch,
        'send.since': now,
        ...inDoubtSince,
        ...(send.ownId === undefined ? {} : { 'send.ownId': send.ownId }),
        ...(send.blindAttempt === undefined ? {} : { 'send.blindAttempt': send.blindAttempt }),
      },
      $inc: { 'send.attempt': 1 },
    },
    upsert: true,
  };
}

/** Returns at once; the message's queue receives the result later. */
export function startSend(context: BatchContext, sending: Sending): void {
  const { conversationId } = sending.queue;
  const { inFlight } = context;
  const sent = sendAndRecord(context, sending).finally(() => {
    if (inFlight.get(conversationId) === sent) inFlight.delete(conversationId);
  });
  inFlight.set(conversationId, sent);
}

/** Never rejects. */
async function sendAndRecord(context: BatchContext, sending: Sending): Promise<void> {
  const { queue, entry } = sending;
  const { log, leaseHeld } = context.environment;
  // If the lease has ended since the mark, the next owner resolves the message.
  if (!leaseHeld() || context.isClosed()) {
    return context.onResult(queue, { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS });
  }
  if (!(await passesRecheck(context, sending))) return;
  try {
    await recordOutcome(context, sending, await send(context, sending));
  } catch (fault) {
    log.error({ messageId: entry._id, error: describe(fault) }, 'a send failed');
    context.onResult(queue, { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS });
  }
}

/**
 * Second look at a message that was scheduled, is a flow's, or is a marketing template, between its
 * mark and its transmission (I34). A contact whose opt-out was answered before the mark gets
 * nothing: a flow's message may have waited behind another for minutes. Any other send of a caller
 * goes all the same. False: it may not be transmitted now, and its queue has received a result.
 * Never rejects.
 */
async function passesRecheck(context: BatchContext, sending: Sending): Promise<boolean> {
  const { entry, queue } = sending;
  const { message } = entry;
  const isMarketing = message !== undefined && isMarketingTemplate(message);
  if (!message || !(isEndedByOptOut(message) || isMarketing)) return true;
  const { store, leaseHeld, log } = context.environment;
  try {
    const answering = await readAnswering(store, entry.conversationId);
    const [isRefused, error] = isMarketing
      ? [hasRefusedMarketing, NO_MARKETING]
      : [hasOptedOut, OPTED_OUT];
    // What a run says is recorded with it. So is a caller's message beside it, which is no farewell.
    const runId = message.origin === 'flow' ? entry.after.run?.id : undefined;
    if (answering && (await isRefused(store, answering, runId))) {
      await failMessage(context, sending, { ...error, byNetwork: false });
      return false;
    }
  } catch (fault) {
    log.warn({ messageId: entry._id, error: describe(fault) }, 'second look failed');
    await recordOutcome(context, sending, RETRY_LATER);
    return false;
  }
  // The lease may have ended meanwhile: the next owner resolves the message.
  if (leaseHeld() && !context.isClosed()) return true;
  context.onResult(queue, { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS });
  return false;
}
