/**
 * Scheduled messages (I34): each is sent once, cancelled, or failed. None comes to the network
 * before its time, after its cancel was answered, or after an opt-out that was answered before its
 * mark. Messages of one conversation come in the order in which they became due.
 */
import * as v from 'valibot';
import { type Call, callsOf, type History, seenOf } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { acceptedByNetwork, scheduledRead } from './facts.ts';
import { TRANSMITTED } from './sends.ts';

const SCHEDULE = {
  request: v.object({ phone: v.string(), text: v.string(), at: v.number() }),
  answer: v.object({ messageId: v.string() }),
};
const CANCEL = {
  request: v.object({ messageId: v.string() }),
  answer: v.object({ id: v.string() }),
};
const OPT_OUT = { request: v.object({ phone: v.string() }), answer: v.object({ id: v.string() }) };
const Marked = v.object({ messageId: v.string(), at: v.number() });

/** Two processes of one machine read its clock. */
const CLOCKS_APART_MS = 5;

type Scheduling = Call<
  v.InferOutput<typeof SCHEDULE.request>,
  v.InferOutput<typeof SCHEDULE.answer>
>;
type Message = ReturnType<typeof scheduledRead>[number]['messages'][number];

/** A message with all that is known of it. */
interface Fate {
  readonly call: Scheduling;
  readonly message: Message;
  /** When it came to the network, each time. */
  readonly came: readonly number[];
}

export function checkScheduled(history: History): Verdict {
  const calls = callsOf(history, 'schedule', SCHEDULE);
  const read = scheduledRead(history);
  const messages = read.flatMap((conversation) =>
    conversation.messages.map((message) => ({ ...message, phone: conversation.phone })),
  );
  const byText = grouped(messages, ({ text }) => text ?? '');
  const came = grouped(acceptedByNetwork(history), ({ messageId }) => messageId ?? '');
  const fates = calls.flatMap((call): Fate[] => {
    const [message] = byText.of(call.request.text);
    return message ? [{ call, message, came: came.of(message.id).map(({ t }) => t) }] : [];
  });
  const byOutcome = grouped(fates, ({ message }) => outcomeOf(message)).of;
  return {
    violations: [
      ...calls.flatMap((call) => presence(call, byText.of(call.request.text))),
      ...fates.flatMap(endOf),
      ...fates.flatMap(early),
      ...cancels(history, fates),
      ...optOuts(history, fates),
      ...[...grouped(fates, ({ call }) => call.request.phone).groups.values()].flatMap(disorder),
    ],
    counted: {
      accepted: calls.filter(({ outcome }) => outcome === 'ok').length,
      sent: byOutcome('sent').length,
      cancelled: byOutcome('cancelled').length,
      optedOut: byOutcome('opted_out').length,
      failed: byOutcome('failed').length,
      unanswered: calls.filter(({ outcome }) => outcome === 'info').length,
    },
  };
}

function outcomeOf({ status, error }: Message): string {
  if (TRANSMITTED.has(status)) return 'sent';
  return error?.code === 'opted_out' ? 'opted_out' : status;
}

function presence(call: Scheduling, found: readonly Message[]): string[] {
  const { text } = call.request;
  if (found.length > 1) return [`${text} is there ${found.length} times`];
  const [message] = found;
  if (call.outcome === 'refused' && message) return [`${text} was refused and is there`];
  if (call.outcome !== 'ok') return [];
  if (!message) return [`${text} was accepted and is lost`];
  const { messageId } = call.answer ?? {};
  return messageId === message.id ? [] : [`${text} was answered ${messageId}, is ${message.id}`];
}

function endOf({ call, message, came }: Fate): string[] {
  const { text } = call.request;
  const { status } = message;
  if (TRANSMITTED.has(status))
    return came.length > 0 ? [] : [`${text} is ${status} and never came`];
  if (status === 'cancelled') {
    return came.length === 0 ? [] : [`${text} is cancelled and came to the network`];
  }
  return status === 'failed' ? [] : [`${text} is still ${status} at the end`];
}

function early({ call, came }: Fate): string[] {
  const { text, at } = call.request;
  const first = Math.min(...came);
  return first < at - CLOCKS_APART_MS ? [`${text} came ${Math.round(at - first)} ms early`] : [];
}

function cancels(history: History, fates: readonly Fate[]): string[] {
  const known = new Map(fates.map((fate) => [fate.message.id, fate]));
  return callsOf(history, 'cancel', CANCEL).flatMap(({ request: { messageId }, outcome }) => {
    const fate = known.get(messageId);
    if (outcome !== 'ok' || fate?.message.status === 'cancelled') return [];
    return [`${fate?.call.request.text ?? messageId} was cancelled and is ${fate?.message.status}`];
  });
}

/** A mark that was not written down came no earlier than the message's time. */
function optOuts(history: History, fates: readonly Fate[]): string[] {
  const marks = grouped(seenOf(history, 'marked', Marked), ({ messageId }) => messageId);
  const outs = callsOf(history, 'opt-out', OPT_OUT).filter(({ outcome }) => outcome === 'ok');
  const byPhone = grouped(outs, ({ request }) => request.phone);
  return fates.flatMap(({ call, message, came }) =>
    came.flatMap((t) => {
      const before = marks.of(message.id).filter(({ at }) => at <= t);
      const markedAt = Math.max(call.request.at, ...before.map(({ at }) => at));
      const out = byPhone.of(call.request.phone).find(({ endedAt }) => endedAt < markedAt);
      if (!out) return [];
      const ago = Math.round(markedAt - out.endedAt);
      return [`${call.request.text} was marked ${ago} ms after the opt-out was answered`];
    }),
  );
}

/** Of two that both waited, the one that was due first comes first. */
function disorder(fates: readonly Fate[]): string[] {
  const came = fates.filter((fate) => fate.came.length > 0);
  return came.flatMap((one) =>
    came.flatMap((other) => {
      const bothWaited = one.call.endedAt < other.call.request.at;
      const isEarlier = one.call.request.at < other.call.request.at;
      const isLater = Math.min(...one.came) > Math.min(...other.came);
      if (!bothWaited || !isEarlier || !isLater) return [];
      return [`${one.call.request.text} was due before ${other.call.request.text}, and came after`];
    }),
  );
}
