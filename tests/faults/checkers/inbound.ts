/**
 * What contacts write, and people on the phone of a number (I31). A message that the service has
 * answered for is in its conversation once, however often the network reported it; without an
 * answer it is there once or not at all. Their order is a rule of `sends`.
 */
import { type Checker, callsOf, grouped, presence, type Rule } from './checker.ts';

const takenInOnce: Rule = (history) => {
  const stored = grouped(history.messages, ({ externalId }) => externalId ?? '');
  const told = grouped(callsOf(history, 'inbound'), ({ request }) => request.externalId ?? '');
  return [...told.groups].flatMap(([name, calls]) => {
    const wanted = calls[0]?.request.text;
    const there = stored.of(name);
    const others = there.filter(({ text }) => wanted !== undefined && text !== wanted);
    return [
      // The network's own answers name nothing.
      ...presence(
        wanted ?? name,
        calls.map((call) => ({ ...call, answer: null })),
        there.map(({ id }) => id),
      ),
      ...others.map(({ id, text }) => `${id} says ${text} instead of ${wanted}`),
    ];
  });
};

const nothingElseIsHeard: Rule = ({ calls, messages }) => {
  const phonesOf = Map.groupBy(calls, ({ request }) => request.externalId ?? '');
  return messages.flatMap(({ direction, externalId, text, phone }) => {
    if (direction !== 'in') return [];
    const wrote = phonesOf.get(externalId ?? ' ')?.map(({ request }) => request.phone) ?? [];
    return wrote.some((from) => from === undefined || phone === null || from === phone)
      ? []
      : [`${text} is there and ${phone} never wrote it`];
  });
};

export const inbound: Checker = {
  rules: { takenInOnce, nothingElseIsHeard },
  counted: (history) => {
    const brought = callsOf(history, 'inbound').filter(({ request }) => !request.engine);
    const taken = brought.filter(({ outcome }) => outcome === 'ok').length;
    const contacts = new Set(brought.map(({ request }) => request.phone)).size;
    return { brought: brought.length, taken, contacts };
  },
};
