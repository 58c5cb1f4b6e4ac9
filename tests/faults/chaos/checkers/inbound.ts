/**
 * Contacts' messages (I31). A message that the service has answered for is in the conversation
 * once, however often the network delivered it. A message without an answer is there once or not at
 * all. A contact's messages are in the order of their writing.
 */
import * as v from 'valibot';
import { type Call, callsOf, type History } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { conversationsRead } from './facts.ts';

export const SHAPE = {
  /** The network brings the same message again until it is taken: one call for each time. */
  request: v.object({ phone: v.string(), id: v.string(), text: v.string() }),
  answer: v.object({ id: v.string() }),
};
type Brought = Call<v.InferOutput<typeof SHAPE.request>, unknown>;

export function checkInbound(history: History): Verdict {
  const brought = callsOf(history, 'inbound', SHAPE);
  const read = new Map(conversationsRead(history).map((each) => [each.phone, each.messages]));
  const violations = judgedBrought(brought, read);
  const taken = brought.filter(({ outcome }) => outcome === 'ok').length;
  const contacts = new Set(brought.map(({ request }) => request.phone)).size;
  return { violations, counted: { brought: brought.length, taken, contacts } };
}

type ReadMessages = readonly {
  readonly direction: string;
  readonly text: string | null;
}[];

export function judgedBrought(
  brought: readonly Brought[],
  read: ReadonlyMap<string, ReadMessages>,
): string[] {
  const phones = grouped(brought, ({ request }) => request.phone).groups;
  return [...phones].flatMap(([phone, mine]) => {
    const there = (read.get(phone) ?? []).filter(({ direction }) => direction === 'in');
    const found = grouped(there, ({ text }) => text ?? '');
    const written = grouped(mine, ({ request }) => request.text).groups;
    return [
      ...[...written].flatMap(([text, times]) => presence(text, times, found.of(text).length)),
      ...there
        .filter(({ text }) => !written.has(text ?? ''))
        .map(({ text }) => `${text} is there and ${phone} never wrote it`),
      ...disorder([...written.keys()], there),
    ];
  });
}

function presence(text: string, times: readonly Brought[], found: number): string[] {
  if (found > 1) return [`${text} is there ${found} times`];
  const taken = times.some(({ outcome }) => outcome === 'ok');
  return taken && found === 0 ? [`${text} was taken and is lost`] : [];
}

/** A contact writes the next message when the one before was taken. */
function disorder(
  written: readonly string[],
  there: readonly { readonly text: string | null }[],
): string[] {
  const places = there.map(({ text }) => written.indexOf(text ?? ''));
  return places.flatMap((place, index) => {
    const before = places[index - 1] ?? -1;
    return place >= 0 && place < before ? [`${written[place]} follows ${written[before]}`] : [];
  });
}
