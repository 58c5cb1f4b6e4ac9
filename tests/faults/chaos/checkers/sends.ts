/**
 * Sends as a list per conversation (I1, I2, I8). A message answered 201 is there once, a refused
 * one is not, one with unknown outcome is there once or not at all. A call answered before another
 * was made comes first. In the end no message is left in the queue.
 */
import * as v from 'valibot';
import { type Call, callsOf, type History } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { type ConversationRead, conversationsRead } from './facts.ts';

export const SEND = {
  request: v.object({ phone: v.string(), text: v.string() }),
  answer: v.object({ messageId: v.string() }),
};
export const TRANSMITTED = new Set(['sent', 'delivered', 'read']);

type Send = Call<v.InferOutput<typeof SEND.request>, v.InferOutput<typeof SEND.answer>>;

export function checkSends(history: History): Verdict {
  const sends = callsOf(history, 'send', SEND);
  const read = new Map(conversationsRead(history).map((each) => [each.phone, each]));
  const violations: string[] = [];
  for (const [phone, mine] of grouped(sends, ({ request }) => request.phone).groups) {
    const conversation = read.get(phone);
    if (conversation !== undefined) {
      violations.push(...judgedList(mine, conversation), ...left(conversation));
    } else if (mine.some(({ outcome }) => outcome === 'ok'))
      violations.push(`${phone} was not read`);
  }
  const count = (outcome: string) => sends.filter((send) => send.outcome === outcome).length;
  const counted = { accepted: count('ok'), refused: count('refused'), unanswered: count('info') };
  return { violations, counted };
}

/** Rules of the list for all calls, whatever became of each message. */
export function judgedList(
  sends: readonly Send[],
  { messages }: Pick<ConversationRead, 'messages'>,
): string[] {
  const out = messages.filter(({ direction }) => direction === 'out');
  const found = grouped(out, ({ text }) => text ?? '');
  const attempted = new Map(sends.map((send) => [send.request.text, send]));
  const unexpected = out.filter(({ text }) => !attempted.has(text ?? ''));
  return [
    ...unexpected.map(({ id, text }) => `${text} (${id}) is there and nobody sent it`),
    ...sends.flatMap((send) => presence(send, found.of(send.request.text))),
    ...lostOnes(sends, found.of),
    ...disorder(out.flatMap(({ text }) => attempted.get(text ?? '') ?? [])),
  ];
}

function left({ messages }: ConversationRead): string[] {
  return messages
    .filter(({ direction, status }) => direction === 'out' && !TRANSMITTED.has(status))
    .map(({ text, status }) => `${text} is still ${status} at the end`);
}

/** Of the list's messages when each first came to the network. */
export function disorderAt(
  listed: readonly { readonly text: string; readonly t: number }[],
): string[] {
  let latest = listed[0];
  return listed.flatMap((each) => {
    const before = latest;
    if (latest === undefined || each.t >= latest.t) latest = each;
    return before !== undefined && each.t < before.t
      ? [`${before.text} came to the network after ${each.text}`]
      : [];
  });
}

function presence(send: Send, found: readonly { readonly id: string }[]): string[] {
  const { text } = send.request;
  const ids = found.map(({ id }) => id);
  if (ids.length > 1) return [`${text} is there ${ids.length} times: ${ids.join(', ')}`];
  if (send.outcome === 'refused' && ids.length > 0) return [`${text} was refused and is there`];
  const [id] = ids;
  const answered = send.answer?.messageId;
  return answered !== undefined && id !== undefined && id !== answered
    ? [`${text} was answered ${answered} and is stored as ${id}`]
    : [];
}

/** Where in the list it is missing says much about the fault. */
function lostOnes(sends: readonly Send[], found: (text: string) => readonly unknown[]): string[] {
  const accepted = sends.filter(({ outcome }) => outcome === 'ok');
  const there = accepted.map(({ request }) => found(request.text).length > 0);
  const [first, last] = [there.indexOf(true), there.lastIndexOf(true)];
  return accepted.flatMap(({ request }, index) => {
    if (there[index]) return [];
    const where = index < first ? 'first ones' : index > last ? 'last ones' : 'middle';
    return [`${request.text} was accepted and is lost (of the ${where})`];
  });
}

/** Given in the order of the list. */
function disorder(listed: readonly Send[]): string[] {
  let latest: Send | undefined;
  return listed.flatMap((send) => {
    const before = latest;
    if (latest === undefined || send.startedAt > latest.startedAt) latest = send;
    return before !== undefined && send.endedAt < before.startedAt
      ? [`${send.request.text} was answered before ${before.request.text} was sent and follows it`]
      : [];
  });
}
