/**
 * Messages at the network (I2, I29): it receives every message of the history, in order, nothing
 * else, and nothing again that it has reported.
 * A message that the network could not report is sent once more, as promised. It was killed, or its
 * report found no receiver. That is counted, and is no violation.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../../../shared/limits.ts';
import type { History } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import {
  acceptedByNetwork,
  type ConversationRead,
  conversationsRead,
  type Fault,
  faultsOf,
  scheduledRead,
  toldByNetwork,
} from './facts.ts';

/** A repeated request may be in transit when the network reports the first one. */
const ON_ITS_WAY_MS = 2_000;
/** It may be held up by a fault for as long as the sender waits for an answer. */
const HELD_UP_MS = 10_000;
const HOLDING_UP = ['network', 'actors'];

type Taken = ReturnType<typeof acceptedByNetwork>[number];

export function checkNetwork(history: History): Verdict {
  const taken = acceptedByNetwork(history);
  const read = conversationsRead(history);
  const out = read.flatMap(({ messages }) =>
    messages.filter(({ direction }) => direction === 'out'),
  );
  const scheduled = scheduledRead(history).flatMap(({ messages }) => messages);
  const known = new Set([...out, ...scheduled].map(({ id }) => id));
  const byMessage = grouped(taken, messageIdOf);
  const strangers = taken.filter((each) => !known.has(messageIdOf(each)));
  const missing = out.filter(({ id }) => byMessage.of(id).length === 0);
  const again = [...byMessage.groups.values()].filter((all) => all.length > 1);
  const tellings = new Map(toldByNetwork(history).map(({ externalId, t }) => [externalId, t]));
  const faults = faultsOf(history);
  return {
    violations: [
      ...strangers.map(({ text, to }) => `the network has ${text} to ${to}, the history has not`),
      ...missing.map(({ id, text }) => `${text} (${id}) never came to the network`),
      ...again.flatMap((all) => needless(all, tellings, faults)),
      ...read.flatMap((conversation) => disorder(conversation, taken)),
    ],
    counted: { taken: taken.length, messages: out.length, sentAgain: again.length },
  };
}

function messageIdOf({ messageId, externalId }: Taken): string {
  return messageId ?? externalId;
}

function needless(
  all: readonly Taken[],
  tellings: ReadonlyMap<string, number>,
  faults: readonly Fault[],
): string[] {
  return all.slice(1).flatMap((later, index) => {
    const earlier = all.slice(0, index + 1);
    const told = earlier.flatMap(({ externalId }) => tellings.get(externalId) ?? []);
    const since = Math.min(...told);
    const grace = heldUp(faults, since, later.t) ? HELD_UP_MS : ON_ITS_WAY_MS;
    if (later.t - since > grace) {
      const ago = Math.round(later.t - since);
      return [`${later.text} was sent again ${ago} ms after the network had told of it`];
    }
    const first = earlier[0] ?? later;
    return later.t - first.t < IN_DOUBT_SEND_WAIT_MS - HELD_UP_MS
      ? [`${later.text} was sent again after ${Math.round(later.t - first.t)} ms`]
      : [];
  });
}

function heldUp(faults: readonly Fault[], from: number, to: number): boolean {
  return faults.some(
    (fault) =>
      fault.from < to &&
      fault.to > from &&
      fault.parts.some((part) => HOLDING_UP.some((held) => part.startsWith(held))),
  );
}

/** By the first time that each of them came. */
function disorder({ phone, messages }: ConversationRead, taken: readonly Taken[]): string[] {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const mine = taken.filter(({ to, messageId }) => to === phone && places.has(messageId ?? ''));
  const first = [...new Set(mine.map(messageIdOf))].map((id) => places.get(id) ?? 0);
  return first.flatMap((place, index) => {
    const before = first[index - 1] ?? -1;
    return place < before
      ? [`${messages[place]?.text} came to the network after ${messages[before]?.text}`]
      : [];
  });
}
