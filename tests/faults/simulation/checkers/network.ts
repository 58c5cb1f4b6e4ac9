/**
 * At the network (I2): per conversation the messages are transmitted in the order of the log, one
 * at a time. Each is transmitted once wherever the network reports sends.
 */
import type { Transmission } from '../outside/transmission.ts';
import type { Checker } from './evidence.ts';

/** Ever longer than an acceptance takes to be told where nothing is lost. */
const LOOKUP_AFTER_MS = 1_000;

export const handedOverInOrder: Checker = ({ entries, transmissions }) => {
  // A scheduled message has the place of its settlement.
  const seqOf = new Map([
    ...entries.map(({ _id, seq }) => [_id, seq] as const),
    ...entries.flatMap(({ seq, settles }) => (settles ? [[settles.messageId, seq] as const] : [])),
  ]);
  const queues = Map.groupBy(transmissions, ({ channelId, to }) => `${channelId} ${to}`);
  return [...queues].flatMap(([queue, all]) => {
    const wrong: string[] = [];
    let highest = 0;
    const started = new Set<string>();
    for (const { messageId, text } of all) {
      const seq = seqOf.get(messageId);
      if (seq === undefined) {
        wrong.push(`${text} was handed over and is in no log`);
        continue;
      }
      // Transmitted again: not after a message that follows it.
      if (seq < highest) wrong.push(`${queue}: ${text} (${seq}) was handed over after ${highest}`);
      highest = Math.max(highest, seq);
      started.add(messageId);
    }
    return wrong;
  });
};

/** Taken twice although the network had told of the first, or could have been asked. */
export const takenOnceWhereTheNetworkTells: Checker = ({ transmissions }) => {
  const wrong: string[] = [];
  for (const [id, all] of Map.groupBy(transmissions, ({ messageId }) => messageId)) {
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

function couldBeKnown(first: Transmission, again: Transmission): boolean {
  if (first.provider === 'web') {
    return first.accepted !== null && first.accepted.at + LOOKUP_AFTER_MS < again.at;
  }
  return first.reportedAt !== null && first.reportedAt < again.at;
}

/** Where the network takes our id of a message, each attempt has the same, and no other message. */
export const underOneIdEach: Checker = ({ transmissions }) => {
  const named = transmissions.filter(({ ownId }) => ownId !== undefined);
  const wrong: string[] = [];
  for (const [id, all] of Map.groupBy(transmissions, ({ messageId }) => messageId)) {
    const ids = new Set(all.map(({ ownId }) => ownId));
    if (ids.size > 1) wrong.push(`${id} was handed over as ${[...ids].join(', ')}`);
  }
  for (const [ownId, all] of Map.groupBy(named, (each) => `${each.channelId} ${each.ownId}`)) {
    const ids = new Set(all.map(({ messageId }) => messageId));
    if (ids.size > 1) wrong.push(`${ownId} named ${[...ids].join(', ')}`);
  }
  return wrong;
};

/**
 * A contact refused by a restriction is not tried again: that lengthens it. An owner may lose its
 * lease before the refusal is on record. The next one has another epoch, and cannot know it.
 */
export const restrictedIsFinal: Checker = ({ transmissions, marks }) => {
  const refused = new Map<string, { readonly at: number; readonly epoch: number | undefined }>();
  return transmissions.flatMap(({ messageId, text, at, restricted }) => {
    const mark = marks.findLast((each) => each.messageId === messageId && each.at <= at);
    const before = refused.get(messageId);
    if (restricted) refused.set(messageId, { at, epoch: mark?.epoch });
    const isKnown = before !== undefined && before.epoch === mark?.epoch;
    return isKnown ? [`${text} was refused at ${before.at} and handed over again`] : [];
  });
};

/** Our own messages, told by a bridge as typed or not, make no further message. */
export const ourOwnIsNoEcho: Checker = ({ entries, transmissions }) => {
  const ours = new Map(
    transmissions.flatMap(({ accepted, channelId, messageId }) =>
      accepted ? [[`${channelId} ${accepted.externalId}`, messageId] as const] : [],
    ),
  );
  return entries.flatMap(({ _id, channelId, externalId, message }) => {
    const messageId = ours.get(`${channelId} ${externalId}`);
    if (message?.direction !== 'out' || messageId === undefined || messageId === _id) return [];
    return [`${_id} is an echo of ${messageId}, which we sent as ${externalId}`];
  });
};

/** Accepted messages have been accepted or refused by the network once all is well again. */
export const everyMessageIsSettled: Checker = ({ entries, transmissions }) => {
  const taken = new Set(
    transmissions.filter(({ accepted }) => accepted).map(({ messageId }) => messageId),
  );
  return entries.flatMap(({ _id, message, send }) => {
    if (message?.direction !== 'out') return [];
    if (send) return [`${message.text} still waits for the network`];
    const known = ['sent', 'delivered', 'read'].includes(message.status);
    if (taken.has(_id) && !known) return [`${message.text} was taken and is ${message.status}`];
    return [];
  });
};
