/**
 * At the network (invariant 2): per conversation the messages are handed over in the order of the
 * log, one at a time, and once wherever the network tells.
 */
import type { HandedOver } from '../outside/messaging-network.ts';
import type { Checker } from './evidence.ts';

/** Ever longer than an acceptance takes to be told where nothing is lost. */
const LOOKED_AFTER_MS = 1_000;

export const handedOverInOrder: Checker = ({ entries, handed }) => {
  const seqOf = new Map(entries.map(({ _id, seq }) => [_id, seq]));
  const lanes = Map.groupBy(handed, ({ channelId, to }) => `${channelId} ${to}`);
  return [...lanes].flatMap(([lane, all]) => {
    const wrong: string[] = [];
    let highest = 0;
    const started = new Set<string>();
    for (const { messageId, text } of all) {
      const seq = seqOf.get(messageId);
      if (seq === undefined) {
        wrong.push(`${text} was handed over and is in no log`);
        continue;
      }
      // Handed over again: not before what follows it has been.
      if (seq < highest) wrong.push(`${lane}: ${text} (${seq}) was handed over after ${highest}`);
      highest = Math.max(highest, seq);
      started.add(messageId);
    }
    return wrong;
  });
};

/** Taken twice although the network had told of the first, or could have been asked. */
export const takenOnceWhereTheNetworkTells: Checker = ({ handed }) => {
  const wrong: string[] = [];
  for (const [id, all] of Map.groupBy(handed, ({ messageId }) => messageId)) {
    const [first] = all.filter(({ accepted }) => accepted !== null);
    if (!first) continue;
    for (const again of all) {
      if (again === first || again.at <= first.at || again.accepted === null) continue;
      if (couldBeKnown(first, again)) {
        wrong.push(`${first.text} (${id}) was taken at ${first.at.toFixed()}, and again`);
      }
    }
  }
  return wrong;
};

function couldBeKnown(first: HandedOver, again: HandedOver): boolean {
  if (first.provider === 'web') {
    return first.accepted !== null && first.accepted.at + LOOKED_AFTER_MS < again.at;
  }
  return first.toldAt !== null && first.toldAt < again.at;
}

/** What was accepted has been taken or refused by the network once all is well again. */
export const everyMessageIsSettled: Checker = ({ entries, handed }) => {
  const taken = new Set(
    handed.filter(({ accepted }) => accepted).map(({ messageId }) => messageId),
  );
  return entries.flatMap(({ _id, message, send }) => {
    if (message?.direction !== 'out') return [];
    if (send) return [`${message.text} still waits for the network`];
    const known = ['sent', 'delivered', 'read'].includes(message.status);
    if (taken.has(_id) && !known) return [`${message.text} was taken and is ${message.status}`];
    return [];
  });
};
