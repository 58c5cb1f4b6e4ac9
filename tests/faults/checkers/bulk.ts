/**
 * Bulk messages (D418): each ends once, sent, failed or cancelled. It fails with `expired` only
 * after its end, with `opted_out` only after the contact has opted out; and it is not handed to the
 * network after either. That each is there once is a rule of `sends`, the cancel one of `scheduled`.
 */
import { type Checker, callsOf, grouped, type Rule, sendsOf, TRANSMITTED } from './checker.ts';
import type { Call, History, Message } from './history.ts';

interface Fate extends Message {
  readonly call: Call;
}

/** Accepted ones, and those whose call had no answer. */
function fatesOf(history: History): readonly Fate[] {
  const asked = sendsOf(history).filter(({ request }) => request.priority === 'bulk');
  const calls = new Map(asked.map((call) => [call.text, call]));
  return history.messages.flatMap((message) => {
    const call = calls.get(message.text ?? '');
    return call && message.direction === 'out' && message.replaces === undefined
      ? [{ ...message, call }]
      : [];
  });
}

const eachEnds: Rule = (history) =>
  fatesOf(history).flatMap(({ id, text, status }) =>
    TRANSMITTED.has(status) || status === 'failed' || status === 'cancelled'
      ? []
      : [`${text} (${id}) is still ${status} at the end`],
  );

/** By what was told, and by what the network has taken. */
const endsAreOne: Rule = (history) => {
  const told = grouped(history.deliveries, ({ event, subject }) => `${event} ${subject}`);
  const given = grouped(history.transmissions, ({ messageId }) => messageId ?? '');
  return fatesOf(history).flatMap(({ id, text, status, error }) => {
    const isOf = (event: string): boolean => told.of(`message.${event} ${id}`).length > 0;
    const isKept = error === 'opted_out' || error === 'expired' || status === 'cancelled';
    const isTaken = given.of(id).some(({ taken }) => taken !== null);
    return [
      ...(isKept && isTaken ? [`${text} (${id}) is ${error ?? status} and was taken`] : []),
      ...(isKept && isOf('sent') ? [`${text} (${id}) is ${error ?? status} and told as sent`] : []),
      ...(status !== 'failed' && isOf('failed') && !TRANSMITTED.has(status)
        ? [`${text} (${id}) is ${status} and told as failed`]
        : []),
    ];
  });
};

/** By the clock of the owner that gave it up. */
const expiredIsPastItsEnd: Rule = (history) => {
  const failed = grouped(
    history.deliveries.filter(({ event }) => event === 'message.failed'),
    ({ subject }) => subject,
  );
  return fatesOf(history).flatMap(({ id, text, error, call }) => {
    const { endsAt } = call.request;
    if (error !== 'expired') return [];
    if (endsAt === undefined) return [`${text} (${id}) expired and has no end`];
    return failed.of(id).flatMap(({ occurredAt }) => {
      const early = endsAt - Date.parse(occurredAt);
      return early >= 0 ? [`${text} (${id}) expired ${early} ms before its end`] : [];
    });
  });
};

/** By the clock of the owner that marked it. The insert that marks it is its acceptance. */
const noneAfterItsEnd: Rule = (history) => {
  const marks = grouped(history.marks, ({ messageId }) => messageId);
  return fatesOf(history).flatMap(({ id, text, call }) => {
    const { endsAt } = call.request;
    if (endsAt === undefined) return [];
    return marks.of(id).flatMap(({ since = 0, isInsert }) => {
      const late = isInsert ? 0 : since - endsAt;
      return late > 0 ? [`${text} (${id}) was marked ${late} ms after its end`] : [];
    });
  });
};

const onlyAfterAnOptOut: Rule = (history) => {
  const outs = grouped(callsOf(history, 'opt-out'), ({ request }) => request.phone ?? '');
  return fatesOf(history).flatMap(({ id, text, phone, error, endedAt }) => {
    if (error !== 'opted_out') return [];
    const isOut = outs
      .of(phone ?? '')
      .some((out) => out.outcome !== 'refused' && out.startedAt < (endedAt ?? Infinity));
    return isOut ? [] : [`${text} (${id}) is opted_out, and its contact was not then`];
  });
};

/** None after an opt-out that was answered before the mark. */
const noneAfterOptOut: Rule = (history) => {
  const marks = grouped(history.marks, ({ messageId }) => messageId);
  const outs = callsOf(history, 'opt-out').filter(({ outcome }) => outcome === 'ok');
  const byPhone = grouped(outs, ({ request }) => request.phone ?? '');
  const went = grouped(history.transmissions, ({ messageId }) => messageId ?? '');
  return fatesOf(history).flatMap(({ id, text, phone, channelId }) =>
    went.of(id).flatMap(({ at }) => {
      const markedAt = marks.of(id).findLast((mark) => mark.at <= at)?.at;
      if (markedAt === undefined) return [];
      const out = byPhone
        .of(phone ?? '')
        .find(
          ({ request, endedAt }) =>
            (request.onlyOn ?? channelId) === channelId && endedAt < markedAt,
        );
      return out
        ? [`${text} (${id}) was marked after the opt-out of ${out.endedAt.toFixed()}`]
        : [];
    }),
  );
};

export const bulk: Checker = {
  rules: {
    eachEnds,
    endsAreOne,
    expiredIsPastItsEnd,
    noneAfterItsEnd,
    onlyAfterAnOptOut,
    noneAfterOptOut,
  },
  counted: (history) => {
    const fates = fatesOf(history);
    const ended = (code: string) =>
      fates.filter(({ status, error }) => status === code || error === code).length;
    return {
      bulk: fates.length,
      sent: fates.filter(({ status }) => TRANSMITTED.has(status)).length,
      cancelled: ended('cancelled'),
      optedOut: ended('opted_out'),
      expired: ended('expired'),
    };
  },
};
