/**
 * Contacts who want no messages (D20, D290): no flow's message goes to them, nor the template in
 * its place, once the opt-out was answered before the mark. What a caller sends goes all the same.
 * Scheduled messages have the same rule in `scheduled`.
 */
import { type Checker, callsOf, fromStore, grouped } from './checker.ts';
import type { History, Mark, Message, Transmission } from './history.ts';

interface Gone {
  readonly message: Message;
  /** The last mark before it was handed over; that moment, where no mark is known. */
  readonly markedAt: number;
}

function goneOf({ messages, marks, transmissions }: History): readonly Gone[] {
  const known = new Map(messages.map((message) => [message.id, message]));
  const marked = grouped(marks, ({ messageId }) => messageId);
  return transmissions.flatMap(({ messageId, at }: Transmission) => {
    const message = known.get(messageId ?? '');
    if (!message) return [];
    const mark: Mark | undefined = marked.of(message.id).findLast((each) => each.at <= at);
    return [{ message, markedAt: mark?.at ?? at }];
  });
}

const noFlowsMessageAfterOptOut = fromStore((_, history) => {
  const outs = callsOf(history, 'opt-out').filter(({ outcome }) => outcome === 'ok');
  const byPhone = grouped(outs, ({ request }) => request.phone ?? '');
  return goneOf(history).flatMap(({ message, markedAt }) => {
    const { id, text, phone, channelId, isAutomatic } = message;
    if (!isAutomatic) return [];
    const out = byPhone
      .of(phone ?? '')
      .find(
        ({ request, endedAt }) => (request.onlyOn ?? channelId) === channelId && endedAt < markedAt,
      );
    if (!out) return [];
    return [`${text} (${id}) of a flow was marked after the opt-out of ${out.endedAt.toFixed()}`];
  });
});

export const optOuts: Checker = { rules: { noFlowsMessageAfterOptOut } };
