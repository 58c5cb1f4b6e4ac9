/**
 * Notes that callers write (D431): an answered one is in its conversation once, a refused one is
 * not, one of unknown outcome is there once or not at all. None goes to the network.
 */
import { type Checker, callsOf, grouped, presence, type Rule } from './checker.ts';
import type { History } from './history.ts';

const NOTE = 'note';

const eachIsThereOnce: Rule = (history) => {
  const found = grouped(notesIn(history), ({ text }) => text ?? '');
  const asked = grouped(callsOf(history, 'write-note'), ({ request }) => request.text ?? '');
  return [...asked.groups].flatMap(([text, calls]) => {
    const there = found.of(text);
    const [conversationId] = calls.flatMap(({ request }) => request.conversationId ?? []);
    const elsewhere = there.filter((each) => each.conversationId !== conversationId);
    return [
      ...presence(
        `the note ${text}`,
        calls,
        there.map(({ id }) => id),
      ),
      ...elsewhere.map((each) => `the note ${text} is in ${each.conversationId}`),
    ];
  });
};

const noneIsHandedOver: Rule = (history) => {
  const notes = new Set(notesIn(history).map(({ id }) => id));
  return history.transmissions.flatMap(({ messageId, text }) =>
    notes.has(messageId ?? '') ? [`the note ${text} was handed over`] : [],
  );
};

function notesIn({ messages }: History): History['messages'] {
  return messages.filter(({ direction }) => direction === NOTE);
}

export const notes: Checker = {
  rules: { eachIsThereOnce, noneIsHandedOver },
  counted: (history) => ({ notes: callsOf(history, 'write-note').length }),
};
