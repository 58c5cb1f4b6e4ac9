/**
 * Scheduled messages (I34): each is settled once, sent, cancelled or failed, and never before its
 * time. Those of one conversation go in the order in which they became due. Nothing is handed to
 * the network after a cancel, nor after an opt-out that was answered before the mark.
 * That each is there once is a rule of `sends`.
 */
import { type Checker, callsOf, grouped, type Rule, TRANSMITTED } from './checker.ts';
import type { Call, History, Message } from './history.ts';

/** Two processes of one machine read its clock. */
const CLOCKS_APART_MS = 5;

interface Fate extends Message {
  readonly dueAt: number;
  /** When it was handed over, or came to the network, each time. */
  readonly went: readonly number[];
  readonly call: Call | undefined;
}

function fatesOf(history: History): readonly Fate[] {
  const went = grouped(history.transmissions, ({ messageId }) => messageId ?? '');
  const calls = grouped(callsOf(history, 'schedule'), ({ request }) => request.text ?? '');
  return history.messages.flatMap((message) =>
    message.dueAt === undefined
      ? []
      : [
          {
            ...message,
            dueAt: message.dueAt,
            went: went.of(message.id).map(({ at }) => at),
            call: calls.of(message.text ?? '')[0],
          },
        ],
  );
}

/** Its status is that of its settlement; none where it was sent at once. */
const settledOnce: Rule = (history) =>
  fatesOf(history).flatMap(({ id, text, status, settlements }) => {
    const what = `${text} (${id})`;
    if (status === 'scheduled') return [`${what} is still scheduled at the end`];
    if (!settlements) return [];
    if (settlements.length > 1) return [`${what} was settled ${settlements.length} times`];
    const outcome = settlements[0]?.outcome ?? 'released';
    return (status === 'cancelled') === (outcome === 'cancelled')
      ? []
      : [`${what} was ${outcome} and is ${status}`];
  });

/** By the clock of the owner that settled it; or by that of the network, where it is the same. */
const neverEarly: Rule = (history) =>
  fatesOf(history).flatMap(({ text, dueAt, settlements, went }) => {
    const early = settlements
      ? settlements.flatMap(({ outcome, settledAt }) =>
          outcome === 'cancelled' ? [] : [dueAt - settledAt],
        )
      : went.map((at) => dueAt - CLOCKS_APART_MS - at);
    const most = Math.max(...early);
    return most > 0 ? [`${text} went ${Math.ceil(most)} ms early`] : [];
  });

/** Of two that waited side by side, the one that is due first goes first. */
const inTheOrderTheyBecameDue: Rule = (history) => {
  const gone = fatesOf(history).flatMap(({ settlements, ...fate }) => {
    const [settlement] = settlements ?? [];
    if (settlement?.outcome === 'cancelled') return [];
    // The log tells who waited when the other one went; elsewhere the callers' clock does.
    if (settlement)
      return [{ ...fate, from: fate.place, until: settlement.place, wentAt: settlement.place }];
    if (settlements || fate.went.length === 0) return [];
    const from = fate.call?.endedAt ?? Number.POSITIVE_INFINITY;
    return [{ ...fate, from, until: fate.dueAt, wentAt: Math.min(...fate.went) }];
  });
  return [...Map.groupBy(gone, ({ conversationId }) => conversationId).values()].flatMap((all) =>
    all.flatMap((one) =>
      all
        .filter((other) => {
          const isEarlier =
            one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.place < other.place);
          return isEarlier && one.from < other.until && one.wentAt > other.wentAt;
        })
        .map((other) => `${one.text} was due before ${other.text}, and went after it`),
    ),
  );
};

/** A cancel that was answered stays; what failed at its time is not handed over either. */
const endedIsNotHandedOver: Rule = (history) => {
  const cancels = callsOf(history, 'cancel').filter(({ outcome }) => outcome === 'ok');
  const cancelled = new Set(cancels.map(({ request }) => request.messageId));
  return fatesOf(history).flatMap(({ id, text, status, settlements, went }) => {
    const wrong: string[] = [];
    if (cancelled.has(id) && status !== 'cancelled') {
      wrong.push(`${text} was cancelled and is ${status}`);
    }
    const ended =
      status === 'cancelled' || settlements?.some(({ outcome }) => outcome !== 'released');
    if (ended && went.length > 0) wrong.push(`${text} had ended and was handed over`);
    return wrong;
  });
};

/**
 * Of messages that waited in the queue. One that the network did not take may have waited again,
 * and is not handed over any more from then on.
 */
const cancelledIsNotHandedOver: Rule = (history) => {
  const went = grouped(history.transmissions, ({ messageId }) => messageId ?? '');
  const cancels = callsOf(history, 'cancel').filter(({ outcome }) => outcome === 'ok');
  const cancelled = grouped(cancels, ({ request }) => request.messageId ?? '');
  return history.messages.flatMap(({ id, text, status, dueAt }) => {
    if (dueAt !== undefined) return [];
    const since = Math.min(...cancelled.of(id).map(({ endedAt }) => endedAt));
    const isWrong = Number.isFinite(since) && status !== 'cancelled';
    if (isWrong) return [`${text} was cancelled, and is ${status} all the same`];
    const isGone =
      status === 'cancelled' && went.of(id).some(({ taken, at }) => taken !== null || at > since);
    return isGone ? [`${text} is cancelled, and was handed over`] : [];
  });
};

/**
 * None after an opt-out that was answered before the message was marked. A contact's word on one
 * channel reaches the others a moment later. Where marks may be lost, one came no earlier than the
 * message's time.
 */
const noneAfterOptOut: Rule = (history) => {
  const marks = grouped(history.marks, ({ messageId }) => messageId);
  const outs = callsOf(history, 'opt-out').filter(({ outcome }) => outcome === 'ok');
  return fatesOf(history).flatMap(({ id, text, phone, channelId, dueAt, settlements, went }) =>
    went.flatMap((at) => {
      const mark = marks.of(id).findLast((each) => each.at <= at)?.at;
      const markedAt = settlements ? (mark ?? at) : Math.max(dueAt, mark ?? dueAt);
      const out = outs.find(
        ({ request, endedAt }) =>
          request.phone === phone &&
          (request.onlyOn ?? channelId) === channelId &&
          endedAt < markedAt,
      );
      return out ? [`${text} was marked after the opt-out of ${out.endedAt.toFixed()}`] : [];
    }),
  );
};

export const scheduled: Checker = {
  rules: {
    settledOnce,
    neverEarly,
    inTheOrderTheyBecameDue,
    endedIsNotHandedOver,
    cancelledIsNotHandedOver,
    noneAfterOptOut,
  },
  counted: (history) => {
    const calls = callsOf(history, 'schedule');
    const fates = fatesOf(history);
    const ended = (code: string) =>
      fates.filter(({ status, error }) => status === code || error === code).length;
    return {
      accepted: calls.filter(({ outcome }) => outcome === 'ok').length,
      sent: fates.filter(({ status }) => TRANSMITTED.has(status)).length,
      cancelled: ended('cancelled'),
      optedOut: ended('opted_out'),
      failed: ended('failed') - ended('opted_out'),
      unanswered: calls.filter(({ outcome }) => outcome === 'unknown').length,
    };
  },
};
