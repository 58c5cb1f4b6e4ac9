/**
 * One dispatch round: take the oldest message of each lane (it came with the nudge, else it is
 * read; what it is marked by shows if it has changed since), mark them `sending` in one journaled
 * write, hand them to the network side by side, and record what it said.
 *
 * 1. Each lane of the round is judged exactly once, whatever fails.
 * 2. A message goes only after the one queued before it in its conversation.
 * 3. A message whose fate is not known is looked into first (`doubt`).
 */
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../shared/limits.ts';
import type { Write } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import { isDoubtful, resolveDoubt } from './doubt.ts';
import { handOn } from './hand-over.ts';
import { failMessage } from './outcome.ts';
import { ownIdOf } from './own-id.ts';
import {
  type QueuedEntry,
  type Round,
  type RoundDesk,
  type Sending,
  STORE_RETRY_MS,
} from './round.ts';

const TOO_OLD = {
  code: 'expired',
  message: 'A mensagem esperou mais de 24 horas na fila e não foi enviada.',
};
/** Whoever else changed the entry has left what it needs to be judged by. */
const READ_AGAIN_MS = 1_000;

export async function sendRound(desk: RoundDesk, round: Round): Promise<void> {
  const { configuration, judge, taken } = round;
  const entries = await readEntries(desk, round);
  if (entries === null) {
    for (const { lane } of taken) judge(lane, { judged: 'retry', waitMs: STORE_RETRY_MS });
    return;
  }
  const ready: Sending[] = [];
  for (const { lane, queued } of taken) {
    const entry = entries.get(queued.entryId);
    if (!entry?.send) {
      desk.inDoubt.delete(queued.entryId);
      judge(lane, { judged: 'done', byNetwork: false });
      continue;
    }
    const sending = { configuration, judge, lane, entry, send: entry.send };
    if (!desk.lanes.isSettled(entry.conversationId, entry.send.previousSeq)) {
      void afterForerunner(desk, sending);
    } else if (isDoubtful(desk, sending)) void lookFirst(desk, sending);
    else ready.push(sending);
  }
  await dispatch(desk, ready);
}

/**
 * A nudge may be lost, and with it the message before this one: it is looked for in the store, and
 * goes first if it still waits (I2).
 */
async function afterForerunner(desk: RoundDesk, sending: Sending): Promise<void> {
  const { conversationId } = sending.entry;
  const { previousSeq: seq } = sending.send;
  try {
    const forerunner = await desk.world.store.findOne<QueuedEntry>('entries', {
      conversationId,
      seq,
    });
    if (forerunner?.send) desk.lanes.add({ conversationId, entryId: forerunner._id, seq });
    else desk.lanes.settledUpTo(conversationId, seq);
    sending.judge(sending.lane, { judged: 'retry', waitMs: 0 });
  } catch (fault) {
    desk.world.log.warn(
      { conversationId, error: describe(fault) },
      'could not look for the one before',
    );
    sending.judge(sending.lane, { judged: 'retry', waitMs: STORE_RETRY_MS });
  }
}

async function lookFirst(desk: RoundDesk, sending: Sending): Promise<void> {
  const again = await resolveDoubt(desk, sending);
  if (again) await dispatch(desk, [again]);
}

async function readEntries(
  desk: RoundDesk,
  round: Round,
): Promise<Map<string, QueuedEntry> | null> {
  try {
    const fresh = round.taken.flatMap(({ queued }) => queued.fresh ?? []);
    const others = round.taken.filter(({ queued }) => !queued.fresh);
    const read =
      others.length === 0
        ? []
        : await desk.world.store.find<QueuedEntry>('entries', {
            _id: { $in: others.map(({ queued }) => queued.entryId) },
          });
    return new Map([...fresh, ...read].map((entry) => [entry._id, entry]));
  } catch (fault) {
    const fields = { channelId: desk.channelId, error: describe(fault) };
    desk.world.log.warn(fields, 'could not read what is to be sent');
    return null;
  }
}

/** Marks them and hands them over. */
async function dispatch(desk: RoundDesk, sendings: readonly Sending[]): Promise<void> {
  const { clock, log, store } = desk.world;
  const now = clock.now();
  const young = sendings.filter((sending) => !expire(desk, sending, now));
  const due = (await desk.firstContacts.admit(young)).map((sending) => named(desk, sending));
  if (due.length === 0) return;
  try {
    const outcomes = await store.commit(due.map((sending) => marking(desk, sending, now)));
    due.forEach((sending, index) => {
      // Another owner has marked this attempt, or the network has judged it meanwhile.
      if (outcomes[index]?.ok !== true) {
        sending.judge(sending.lane, { judged: 'ambiguous', waitMs: READ_AGAIN_MS });
        return;
      }
      const attempt = sending.send.attempt + 1;
      const marked = { ...sending.send, attempt, epoch: desk.epoch, since: now };
      handOn(desk, { ...sending, send: marked });
    });
  } catch (fault) {
    log.warn({ channelId: desk.channelId, error: describe(fault) }, 'could not mark a round');
    for (const { judge, lane } of due) judge(lane, { judged: 'retry', waitMs: STORE_RETRY_MS });
  }
}

/** A message that waited too long is not sent any more (I32). */
function expire(desk: RoundDesk, sending: Sending, now: number): boolean {
  if (now - sending.send.at <= QUEUED_MESSAGE_MAX_AGE_MS) return false;
  void failMessage(desk, sending, { ...TOO_OLD, byNetwork: false });
  return true;
}

/** Under the id that was journaled before, if there is one. */
function named(desk: RoundDesk, sending: Sending): Sending {
  const { configuration, entry, send } = sending;
  return {
    ...sending,
    send: { ...send, ...ownIdOf(desk.world, configuration, { ...entry, send }) },
  };
}

/** With `upsert`, an attempt that somebody else marked shows as a duplicate. */
function marking(desk: RoundDesk, sending: Sending, now: number): Write {
  const { entry, send } = sending;
  const doubt = isDoubtful(desk, sending)
    ? { 'send.doubtSince': send.doubtSince ?? send.since ?? now }
    : {};
  return {
    update: 'entries',
    filter: { _id: entry._id, 'send.state': send.state, 'send.attempt': send.attempt },
    change: {
      $set: {
        'send.state': 'sending',
        'send.epoch': desk.epoch,
        'send.since': now,
        ...doubt,
        ...(send.ownId === undefined ? {} : { 'send.ownId': send.ownId }),
        ...(send.blindAttempt === undefined ? {} : { 'send.blindAttempt': send.blindAttempt }),
      },
      $inc: { 'send.attempt': 1 },
    },
    upsert: true,
  };
}
