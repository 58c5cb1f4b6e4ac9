/**
 * Dispatch batch: reads the oldest message of each queue, unless its nudge contained it. One
 * journaled write marks all of them `sending`; the mark fails if the entry has changed. Then it
 * transmits them concurrently and records the results.
 *
 * 1. Each queue of the batch receives exactly one result, whatever fails.
 * 2. A message is sent only after its predecessor in the conversation.
 * 3. A message in doubt is resolved before it is sent again (`in-doubt`).
 */
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../shared/limits.ts';
import type { Write } from '../../shared/ports/store.ts';
import { describe } from '../runtime/describe-fault.ts';
import {
  type BatchContext,
  type DispatchBatch,
  type QueuedEntry,
  type Sending,
  STORE_RETRY_MS,
} from './batch-context.ts';
import { isInDoubt, resolveInDoubt } from './in-doubt.ts';
import { failMessage } from './outcome.ts';
import { ownIdOf } from './own-id.ts';
import { startSend } from './start-send.ts';

const TOO_OLD = {
  code: 'expired',
  message: 'A mensagem esperou mais de 24 horas na fila e não foi enviada.',
};
/** Wait before a batch rereads an entry that another writer has changed. */
const READ_AGAIN_MS = 1_000;

export async function dispatchBatch(context: BatchContext, batch: DispatchBatch): Promise<void> {
  const { configuration, onResult, items } = batch;
  const entries = await readEntries(context, batch);
  if (entries === null) {
    for (const { queue } of items) onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
    return;
  }
  const ready: Sending[] = [];
  for (const { queue, message } of items) {
    const entry = entries.get(message.entryId);
    if (!entry?.send) {
      context.inDoubt.delete(message.entryId);
      onResult(queue, { result: 'done', byNetwork: false });
      continue;
    }
    const sending = { configuration, onResult, queue, entry, send: entry.send };
    if (!context.queues.isCompleted(entry.conversationId, entry.send.previousSeq)) {
      void afterPredecessor(context, sending);
    } else if (isInDoubt(context, sending)) void resolveThenSend(context, sending);
    else ready.push(sending);
  }
  await markAndSend(context, ready);
}

/**
 * Looks up the predecessor, whose nudge may be lost. A predecessor that is still queued goes first
 * (I2).
 */
async function afterPredecessor(context: BatchContext, sending: Sending): Promise<void> {
  const { conversationId } = sending.entry;
  const { previousSeq: seq } = sending.send;
  try {
    const predecessor = await context.environment.store.findOne<QueuedEntry>('entries', {
      conversationId,
      seq,
    });
    if (predecessor?.send) context.queues.add({ conversationId, entryId: predecessor._id, seq });
    else context.queues.raiseWatermark(conversationId, seq);
    sending.onResult(sending.queue, { result: 'retry', waitMs: 0 });
  } catch (fault) {
    context.environment.log.warn(
      { conversationId, error: describe(fault) },
      'predecessor look-up failed',
    );
    sending.onResult(sending.queue, { result: 'retry', waitMs: STORE_RETRY_MS });
  }
}

async function resolveThenSend(context: BatchContext, sending: Sending): Promise<void> {
  const resolved = await resolveInDoubt(context, sending);
  if (resolved) await markAndSend(context, [resolved]);
}

async function readEntries(
  context: BatchContext,
  batch: DispatchBatch,
): Promise<Map<string, QueuedEntry> | null> {
  try {
    const fresh = batch.items.flatMap(({ message }) => message.fresh ?? []);
    const others = batch.items.filter(({ message }) => !message.fresh);
    const read =
      others.length === 0
        ? []
        : await context.environment.store.find<QueuedEntry>('entries', {
            _id: { $in: others.map(({ message }) => message.entryId) },
          });
    return new Map([...fresh, ...read].map((entry) => [entry._id, entry]));
  } catch (fault) {
    const fields = { channelId: context.channelId, error: describe(fault) };
    context.environment.log.warn(fields, 'reading a dispatch batch failed');
    return null;
  }
}

/** Marks the messages and starts their sends. */
async function markAndSend(context: BatchContext, sendings: readonly Sending[]): Promise<void> {
  const { clock, log, store } = context.environment;
  const now = clock.now();
  const unexpired = sendings.filter((sending) => !expire(context, sending, now));
  const due = (await context.firstContacts.admit(unexpired)).map((sending) =>
    withOwnId(context, sending),
  );
  if (due.length === 0) return;
  try {
    const outcomes = await store.commit(due.map((sending) => markWrite(context, sending, now)));
    due.forEach((sending, index) => {
      // Another owner has marked this attempt, or a receipt has ended the send meanwhile.
      if (outcomes[index]?.ok !== true) {
        sending.onResult(sending.queue, { result: 'ambiguous', waitMs: READ_AGAIN_MS });
        return;
      }
      const attempt = sending.send.attempt + 1;
      const marked = { ...sending.send, attempt, epoch: context.epoch, since: now };
      startSend(context, { ...sending, send: marked });
    });
  } catch (fault) {
    log.warn(
      { channelId: context.channelId, error: describe(fault) },
      'marking a dispatch batch failed',
    );
    for (const { onResult, queue } of due)
      onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
  }
}

/** A message that waited too long fails and is not sent (I32). */
function expire(context: BatchContext, sending: Sending, now: number): boolean {
  if (now - sending.send.at <= QUEUED_MESSAGE_MAX_AGE_MS) return false;
  void failMessage(context, sending, { ...TOO_OLD, byNetwork: false });
  return true;
}

/** Keeps the id that was journaled before, if there is one. */
function withOwnId(context: BatchContext, sending: Sending): Sending {
  const { configuration, entry, send } = sending;
  return {
    ...sending,
    send: { ...send, ...ownIdOf(context.environment, configuration, { ...entry, send }) },
  };
}

/** With `upsert`, an attempt that another writer marked shows as a duplicate. */
function markWrite(context: BatchContext, sending: Sending, now: number): Write {
  const { entry, send } = sending;
  const inDoubtSince = isInDoubt(context, sending)
    ? { 'send.doubtSince': send.doubtSince ?? send.since ?? now }
    : {};
  return {
    update: 'entries',
    filter: { _id: entry._id, 'send.state': send.state, 'send.attempt': send.attempt },
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
