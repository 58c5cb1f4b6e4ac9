/**
 * Contacts who want no messages (D20, D290): no flow's message goes to them, nor the template in
 * its place, once the opt-out was answered before the mark. What a caller sends goes all the same.
 * Scheduled messages have the same rule in `scheduled`. Of marketing nothing goes after a stop. A
 * farewell goes although the next step of its flow opts out.
 */
import { type Checker, callsOf, fromStore, grouped } from './checker.ts';
import type { Call, History, Mark, Message, Transmission } from './history.ts';

/** Said by a flow whose next step opts out contacts who never do so themselves. */
export const FAREWELL = 'flow: adeus';

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
    const { id, text, phone, isAutomatic } = message;
    if (!isAutomatic) return [];
    const out = byPhone.of(phone ?? '').find(isBefore(message, markedAt));
    if (!out) return [];
    return [`${text} (${id}) of a flow was marked after the opt-out of ${out.endedAt.toFixed()}`];
  });
});

/** A caller's neither: a network counts it against the number (D327). */
const noMarketingAfterStop = fromStore((_, history) => {
  const stops = callsOf(history, 'opt-out', 'marketing-stop');
  const answered = stops.filter(({ outcome }) => outcome === 'ok');
  const byPhone = grouped(answered, ({ request }) => request.phone ?? '');
  return goneOf(history).flatMap(({ message, markedAt }) => {
    const { id, text, phone, template } = message;
    if (!template?.isMarketing) return [];
    const stop = byPhone.of(phone ?? '').find(isBefore(message, markedAt));
    return stop
      ? [`${text} (${id}) of marketing was marked after the stop of ${stop.endedAt.toFixed()}`]
      : [];
  });
});

const aFarewellGoes = fromStore((_, { messages }) =>
  messages.flatMap(({ id, text, error }) =>
    text === FAREWELL && error === 'opted_out' ? [`the farewell ${id} was kept back`] : [],
  ),
);

/** A contact's word on one channel reaches the others a moment later. */
function isBefore({ channelId }: Message, markedAt: number) {
  return ({ request, endedAt }: Call): boolean =>
    (request.onlyOn ?? channelId) === channelId && endedAt < markedAt;
}

export const optOuts: Checker = {
  rules: { noFlowsMessageAfterOptOut, noMarketingAfterStop, aFarewellGoes },
};
