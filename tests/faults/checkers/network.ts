/**
 * At the network (I2, I29): it gets every message that was accepted, nothing else, in the order of
 * each conversation's log, and nothing again of which it has told or could have been asked.
 * A message of which it could not tell is sent once more, as promised: that is counted.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../../shared/limits.ts';
import { type Checker, fromStore, grouped, outOf, type Rule, TRANSMITTED } from './checker.ts';
import type { Fault, History, Message, Transmission } from './history.ts';

/** Ever longer than an acceptance takes to be told where nothing is lost. */
const LOOKUP_AFTER_MS = 1_000;
/** Where arrivals are seen, a repeated request may be on its way when the network tells. */
const ON_ITS_WAY_MS = 2_000;
/** It may be held up by a fault for as long as the sender waits for an answer. */
const HELD_UP_MS = 10_000;
const HOLDING_UP = ['network', 'actors'];

/** Of each message; a network without ids of ours names strangers. */
function byMessage({ transmissions }: History) {
  const known = transmissions.filter(({ messageId }) => messageId !== null);
  return grouped(known, ({ messageId }) => messageId ?? '');
}

/** Taken for good. */
export function arrivalsOf(all: readonly Transmission[]): readonly Transmission[] {
  return all.filter(({ taken, failed = null }) => taken !== null && failed === null);
}

const nothingElseIsHandedOver: Rule = ({ messages, transmissions }) => {
  const known = new Set(messages.map(({ id }) => id));
  return transmissions
    .filter(({ messageId }) => messageId === null || !known.has(messageId))
    .map(({ text, to }) => `${text} to ${to} was handed over and is in no log`);
};

/** What people type on the phone of a number has not gone through our hands. */
const sentIsTaken: Rule = (history) => {
  const given = byMessage(history);
  const told = new Set(history.calls.flatMap(({ request }) => request.externalId ?? []));
  return outOf(history).flatMap(({ id, text, status, externalId }) => {
    if (!TRANSMITTED.has(status) || told.has(externalId ?? '')) return [];
    const all = given.of(id);
    return arrivalsOf(all).length > 0 || isUntold(all, history)
      ? []
      : [`${text} (${id}) is ${status} and never came to the network`];
  });
};

/**
 * Refused by the network after the bridge took it, and the bridge died with that knowledge: it tells
 * one after the other, and a busy machine's queue is long.
 */
function isUntold(all: readonly Transmission[], { faults }: History): boolean {
  const diesAfter = ({ at }: Transmission) =>
    faults.some(
      ({ kind, parts, from }) => kind.startsWith('kill') && parts.includes('network') && from > at,
    );
  return all.some(diesAfter) && all.every(({ toldAt }) => toldAt === null);
}

/** Once all is well the network has taken each message, or refused it. */
const everyMessageIsSettled: Rule = (history) => {
  const given = byMessage(history);
  const mayFail = ({ engine, dueAt }: Message) =>
    !history.nothingIsRefused || engine !== undefined || dueAt !== undefined;
  return outOf(history).flatMap((message) => {
    const { id, text, status, isDue = false, engine, error } = message;
    if (TRANSMITTED.has(status) && !isDue) return [];
    const ended = status === 'cancelled' || (status === 'failed' && mayFail(message));
    if (isDue || !ended) return [`${text} (${id}) is still ${status} at the end`];
    // A bridge without ids of ours cannot be asked for all of them.
    if (engine !== undefined && error === 'unconfirmed') return [];
    return arrivalsOf(given.of(id)).length > 0 ? [`${text} was taken and is ${status}`] : [];
  });
};

/** Where a scheduled message comes in the order, if that is known: at its settlement. */
function placeOf({ place, dueAt, settlements }: Message): number | null {
  return settlements?.[0]?.place ?? (dueAt === undefined || settlements ? place : null);
}

/** A conversation that was joined to another keeps a queue of its own (D142). */
const handedOverInOrder: Rule = ({ messages, transmissions }) => {
  const places = new Map(messages.map((message) => [message.id, placeOf(message)]));
  const conversations = new Map(messages.map(({ id, conversationId }) => [id, conversationId]));
  const queues = Map.groupBy(transmissions, ({ channelId, to, messageId }) => {
    const conversation = conversations.get(messageId ?? '') ?? '';
    return `${channelId} ${to} ${conversation}`;
  });
  return [...queues].flatMap(([queue, all]) => {
    let [highest, last] = [Number.NEGATIVE_INFINITY, ''];
    const started = new Set<string | null>();
    return all.flatMap(({ messageId, text, by, failed = null }) => {
      const place = places.get(messageId ?? '') ?? null;
      // Requests of one message may overtake each other on their way.
      const isRepeat = by === undefined && started.has(messageId);
      if (place === null || failed !== null || isRepeat) return [];
      started.add(messageId);
      if (place < highest) return [`${queue}: ${text} was handed over after ${last}`];
      [highest, last] = [place, text];
      return [];
    });
  });
};

const takenOnceWhereTheNetworkTells: Rule = (history) =>
  [...byMessage(history).groups.values()].flatMap((all) => {
    const taken = all.filter((each) => each.taken !== null);
    return taken.slice(1).flatMap((again, index) => {
      const why = needless(taken.slice(0, index + 1), again, history.faults);
      return why === null ? [] : [`${again.text} (${again.messageId}) was taken again ${why}`];
    });
  });

/** Engines of the bridge have rules of their own. */
function needless(
  earlier: readonly Transmission[],
  again: Transmission,
  faults: readonly Fault[],
): string | null {
  const firstAt = Math.min(...earlier.map(({ taken }) => taken?.at ?? again.at));
  if (again.provider === 'web') {
    const couldBeAsked = again.by !== undefined && firstAt + LOOKUP_AFTER_MS < again.at;
    return couldBeAsked ? 'although it could be asked for' : null;
  }
  const told = Math.min(...earlier.map(({ toldAt }) => toldAt ?? Number.POSITIVE_INFINITY));
  const way = isHeldUp(faults, told, again.at) ? HELD_UP_MS : ON_ITS_WAY_MS;
  const ago = again.at - told;
  if (ago > (again.by === undefined ? way : 0)) {
    return `${Math.round(ago)} ms after the network had told of it`;
  }
  const soon = again.at - Math.min(...earlier.map(({ at }) => at));
  return soon < IN_DOUBT_SEND_WAIT_MS - HELD_UP_MS ? `after ${Math.round(soon)} ms` : null;
}

function isHeldUp(faults: readonly Fault[], from: number, to: number): boolean {
  return faults.some(
    (fault) =>
      fault.from < to &&
      fault.to > from &&
      fault.parts.some((part) => HOLDING_UP.some((held) => part.startsWith(held))),
  );
}

/** Where the network takes our id of a message, each attempt has the same, and no other message. */
const underOneIdEach = fromStore((_, { transmissions }) => {
  const wrong: string[] = [];
  for (const [id, all] of Map.groupBy(transmissions, ({ messageId }) => messageId)) {
    const ids = new Set(all.map(({ ownId }) => ownId));
    if (ids.size > 1) wrong.push(`${id} was handed over as ${[...ids].join(', ')}`);
  }
  const named = transmissions.filter(({ ownId }) => ownId !== undefined);
  for (const [ownId, all] of Map.groupBy(named, (each) => `${each.channelId} ${each.ownId}`)) {
    const ids = new Set(all.map(({ messageId }) => messageId));
    if (ids.size > 1) wrong.push(`${ownId} named ${[...ids].join(', ')}`);
  }
  return wrong;
});

/**
 * A contact refused by a restriction is not tried again: that lengthens it. An owner may lose its
 * lease before the refusal is on record. The next one has another epoch, and cannot know it.
 */
const restrictedIsFinal = fromStore((_, { transmissions, marks }) => {
  const refused = new Map<string | null, Pick<Transmission, 'at'> & { epoch: unknown }>();
  return transmissions.flatMap(({ messageId, text, at, restricted }) => {
    const mark = marks.findLast((each) => each.messageId === messageId && each.at <= at);
    const before = refused.get(messageId);
    if (restricted) refused.set(messageId, { at, epoch: mark?.epoch });
    const isKnown = before !== undefined && before.epoch === mark?.epoch;
    return isKnown ? [`${text} was refused at ${before.at} and handed over again`] : [];
  });
});

/** Our own messages, told by a bridge as typed or not, make no further message. */
const ourOwnIsNoEcho: Rule = (history) => {
  const ours = new Map(
    history.transmissions.flatMap(({ taken, channelId, messageId }) =>
      taken ? [[`${channelId} ${taken.externalId}`, messageId] as const] : [],
    ),
  );
  const known = new Set(history.transmissions.map(({ channelId }) => channelId));
  return outOf(history).flatMap(({ id, channelId, externalId }) => {
    const channel = known.has(channelId) ? channelId : undefined;
    const messageId = ours.get(`${channel} ${externalId}`) ?? id;
    return messageId === id ? [] : [`${id} is an echo of ${messageId}, sent as ${externalId}`];
  });
};

export const network: Checker = {
  rules: {
    nothingElseIsHandedOver,
    sentIsTaken,
    everyMessageIsSettled,
    handedOverInOrder,
    takenOnceWhereTheNetworkTells,
    underOneIdEach,
    restrictedIsFinal,
    ourOwnIsNoEcho,
  },
  counted: (history) => {
    const out = outOf(history).filter(({ engine }) => engine === undefined);
    const given = byMessage(history);
    const taken = out.map(({ id }) => given.of(id).filter((each) => each.taken !== null).length);
    const sentAgain = taken.filter((times) => times > 1).length;
    return { taken: taken.reduce((sum, times) => sum + times, 0), messages: out.length, sentAgain };
  },
};
