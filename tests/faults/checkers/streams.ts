/**
 * Event streams (`docs/events.md`, "Streams"): what is recorded for a stream is written to its live
 * reader, in the order of its commits, as far as its key reaches. Nothing is settled that was not
 * written, and an acknowledgement settles nothing behind its position.
 */
import type { Checker, Rule } from './checker.ts';
import type {
  KeyReach,
  StreamConnection,
  StreamDelivery,
  StreamHistory,
  StreamWriting,
} from './streams-history.ts';

/** A stream's owner asks for its configuration when its own is a second old. */
const FRESH_MS = 1_000;
/** As `actors/domain/stream-delivery.ts` words them. */
const OVERFLOW = /^overflow/;
const OUT_OF_SCOPE = /^scope/;
const RESULT = /^(status \d+|no answer)$/;

/** Of each stream for itself. */
function ofEach(rule: (stream: StreamHistory) => readonly string[]): Rule {
  return ({ streams }) =>
    streams
      ? streams.flatMap((stream) => rule(stream).map((wrong) => `stream ${stream.name}: ${wrong}`))
      : null;
}

/** With its connection; in the order of their times, and of their places within one moment. */
interface Written extends StreamWriting {
  readonly by: StreamConnection;
}

function writtenIn({ connections }: Pick<StreamHistory, 'connections'>): readonly Written[] {
  const all = connections.flatMap((by) => by.written.map((each) => ({ ...each, by })));
  return all.toSorted((a, b) => a.at - b.at || a.position - b.position);
}

function firstWritten(stream: Pick<StreamHistory, 'connections'>): ReadonlyMap<string, Written> {
  return new Map(
    writtenIn(stream)
      .toReversed()
      .map((each) => [each.id, each]),
  );
}

function isOfOverflow({ reason }: Pick<StreamDelivery, 'reason'>): boolean {
  return reason !== null && OVERFLOW.test(reason);
}

function isOutOfScope({ reason }: Pick<StreamDelivery, 'reason'>): boolean {
  return reason !== null && OUT_OF_SCOPE.test(reason);
}

/** A sweep takes so long, at most. */
const SWEEP_MS = 15_000;

/** A sweep met a revoked key. With another token the same stream may go on later. */
function isGivenUp({ changes }: StreamDelivery, { reaches }: StreamHistory): boolean {
  const { status, reason, at } = changes.at(-1) ?? { status: '', reason: null, at: 0 };
  if (status !== 'failed' || reason !== null) return false;
  return reachesBetween(reaches, at - SWEEP_MS, at).some(({ isGood }) => !isGood);
}

/** What waits at the end is with the live reader; what failed was said to fail. */
const everythingIsWritten = ofEach((stream) => {
  const { deliveries, generation, connections } = stream;
  const live = connections.findLast(({ isLive }) => isLive);
  const written = new Set(connections.flatMap((each) => each.written.map(({ id }) => id)));
  const withReader = new Set(live?.written.map(({ id }) => id));
  const own = deliveries.filter((each) => each.generation === generation);
  if (generation !== null && !live) return ['has no reader at the end'];
  return own.flatMap((delivery) => {
    const { id, status, event } = delivery;
    if (status === 'pending') {
      return withReader.has(id) ? [] : [`${event} ${id} waits and is not with the reader`];
    }
    if (status === 'succeeded') return written.has(id) ? [] : [`${id} was settled and not written`];
    if (isOfOverflow(delivery) || isOutOfScope(delivery)) return [];
    if (isGivenUp(delivery, stream)) return [];
    const isTold = written.has(id) && RESULT.test(delivery.reason ?? '');
    return isTold ? [] : [`${id} is ${status} for no known reason: ${delivery.reason}`];
  });
});

/**
 * Each settlement follows an acknowledgement of itself, of its position, or of one under which it
 * was written before: a late commit of its owner's gives it another.
 */
const nothingElseSettles = ofEach((stream) => {
  const first = firstWritten(stream);
  const all = writtenIn(stream);
  return stream.deliveries.flatMap(({ id, changes }) => {
    const settled = changes.filter(({ status }) => status === 'succeeded');
    return settled.flatMap(({ at, position }) => {
      const written = first.get(id);
      if (!written || written.at > at) return [`${id} was settled before it was written`];
      // Not before it was sent again, if it was: that is known under its new position only.
      const since = changes.findLast((each) => each.status === 'pending' && each.at <= at)?.at ?? 0;
      const known = all.filter((each) => each.id === id && each.at >= since);
      const isAsked = stream.acknowledgements.some(
        ({ sentAt, upTo = 0, ids }) =>
          sentAt <= at &&
          (ids?.includes(id) ||
            (position !== null && position <= upTo) ||
            known.some((each) => each.at <= sentAt && each.position <= upTo)),
      );
      return isAsked ? [] : [`${id} at ${position} was settled by no acknowledgement`];
    });
  });
});

/** With the recorded name and bytes, and nothing else. */
const nothingElseIsWritten = ofEach((stream) => {
  const known = new Map(stream.deliveries.map((each) => [each.id, each]));
  return writtenIn(stream).flatMap(({ id, event, body }) => {
    const delivery = known.get(id);
    if (!delivery) return [`${id} was written and is not recorded`];
    return delivery.event === event && delivery.body === body ? [] : [`${id} came as another one`];
  });
});

/** Whether it was failed before it was ever written: it is a new entry from then on. */
function isSentAgainUnread({ changes }: StreamDelivery, writtenAt: number): boolean {
  return changes.some(({ at, status }) => status === 'failed' && at < writtenAt);
}

/**
 * Whether the stream did not hear of it at first: it began, or its key changed, between the commit
 * and the record. An event may be published once more much later, and is recorded then.
 */
function isHeardLate({ commit, changes }: StreamDelivery, heard: readonly number[]): boolean {
  const recordedAt = changes[0]?.at ?? 0;
  return heard.some((at) => (commit?.begunAt ?? 0) <= at && at <= recordedAt);
}

/** Of the given ones, those that come behind an event whose commit began after theirs. */
function outOfOrder(
  written: readonly Written[],
  inOrder: ReadonlyMap<string, StreamDelivery>,
): readonly string[] {
  const begun = new Map<string, { readonly id: string; readonly at: number }>();
  return written.flatMap(({ id, at }) => {
    const delivery = inOrder.get(id);
    if (!delivery?.commit || isSentAgainUnread(delivery, at)) return [];
    const { entity, begunAt, at: committedAt } = delivery.commit;
    const last = begun.get(entity);
    if (!last || begunAt > last.at) begun.set(entity, { id, at: begunAt });
    return last && committedAt < last.at
      ? [`${id} of ${entity}, committed at ${committedAt}, comes behind ${last.id} of ${last.at}`]
      : [];
  });
}

/** An event that is committed before another's commit begins comes before it. */
const entitiesKeepTheirOrder = ofEach((stream) => {
  const heard = [...stream.begunAt, ...stream.reaches.map(({ at }) => at)];
  const inOrder = stream.deliveries.filter((each) => !isHeardLate(each, heard));
  const known = new Map(inOrder.map((each) => [each.id, each]));
  const first = [...firstWritten(stream).values()].toSorted(
    (a, b) => a.at - b.at || a.position - b.position,
  );
  return outOfOrder(first, known);
});

/** The key has reached the message at some moment since its scope was asked for. */
const keysReachWhatIsWritten = ofEach((stream) =>
  writtenIn(stream).flatMap(({ id, event, body, scopeFrom, at }) => {
    const inForce = reachesBetween(stream.reaches, scopeFrom - FRESH_MS, at);
    const reaches = ({ channelId, isGood }: KeyReach): boolean => {
      const isOfAll = channelId === null || !/^(message|conversation)\./.test(event);
      return isGood && (isOfAll || channelOf(JSON.parse(body).data) === channelId);
    };
    return inForce.some(reaches) ? [] : [`${event} ${id} is beyond the key`];
  }),
);

/** Of a message, or of a conversation as it is shown. */
function channelOf(data: Told): string | undefined {
  return data.conversation?.channel.id ?? data.channelId;
}

interface Told {
  readonly channelId?: string;
  readonly conversation?: { readonly channel: { readonly id: string } };
}

function reachesBetween(reaches: readonly KeyReach[], from: number, to: number) {
  const before = reaches.findLast(({ at }) => at <= from);
  return [...(before ? [before] : []), ...reaches.filter(({ at }) => from < at && at <= to)];
}

/** On each connection and over all of them, in the order in which they were numbered. */
const positionsRise = ofEach(({ connections }) => {
  const ids = new Map<number, string>();
  return connections.flatMap(({ name, written }) => {
    let last = 0;
    return written.flatMap(({ id, position }) => {
      const known = ids.get(position);
      ids.set(position, id);
      const isBehind = position <= last;
      last = Math.max(last, position);
      if (known !== undefined && known !== id) return [`${position} is of ${known} and of ${id}`];
      return isBehind ? [`${position} of ${id} comes behind ${last} on ${name}`] : [];
    });
  });
});

/** What is new on a connection comes behind all that earlier ones have written. */
const newPositionsAreHigher = ofEach(({ connections }) => {
  const known = new Set<number>();
  let highest = 0;
  return connections.flatMap(({ written }) => {
    const own = written.filter(({ position }) => !known.has(position));
    const wrong = own.filter(({ position }) => position < highest);
    for (const { position } of written) known.add(position);
    highest = Math.max(highest, ...written.map(({ position }) => position));
    return wrong.map(({ id, position }) => `${position} of ${id} is new, and below ${highest}`);
  });
});

/** A connection that has written something has read its `Last-Event-ID` before. */
const nothingSettledComesAgain = ofEach(({ connections }) =>
  connections.flatMap(({ lastEventId, written }) => {
    const after = Number.parseInt(lastEventId ?? '', 10);
    return written.flatMap(({ id, position }) =>
      position <= after ? [`${position} of ${id} comes behind its acknowledgement`] : [],
    );
  }),
);

/** Another one was asked for, and may have been numbered after it. */
const onlyNewerOnesReplace = ofEach(({ connections, openings }) =>
  connections.flatMap(({ name, openedAt, replacedAt }) => {
    if (replacedAt === null) return [];
    const isNewer = openings.some(
      ({ from, to, connection }) => connection !== name && from <= replacedAt && to >= openedAt,
    );
    return isNewer ? [] : [`${name} was replaced by no newer connection`];
  }),
);

/** The attempts of a dropped delivery stay with it when it is sent again. */
function isDrop(change: StreamDelivery['changes'][number]): boolean {
  return change.status === 'failed' && isOfOverflow(change);
}

/** Times at which the stream dropped something for want of room. */
function dropsIn({ deliveries, generation }: StreamHistory): readonly number[] {
  return deliveries
    .filter((each) => each.generation === generation)
    .flatMap(({ changes }) => changes.filter(isDrop).map(({ at }) => at));
}

/** Dropped events are counted, and the count is told by each connection that follows. */
const overflowsAreTold = ofEach((stream) => {
  const { generation, connections } = stream;
  const live = connections.findLast(({ isLive }) => isLive);
  if (generation === null || !live) return [];
  const counts = stream.dropped.filter((each) => each.generation === generation);
  const dropped = dropsIn(stream).length;
  const counted = counts.reduce((sum, { count }, at) => {
    return sum + Math.max(0, count - (counts[at - 1]?.count ?? 0));
  }, 0);
  const known = counts.at(-1)?.count ?? 0;
  const told = live.overflows.at(-1)?.dropped ?? 0;
  return [
    // A drop that was interrupted is made again, and counted again.
    ...(counted >= dropped ? [] : [`${dropped} events were dropped and ${counted} counted`]),
    ...(known === 0 || told === known ? [] : [`${known} events were dropped and ${told} told`]),
    ...connections.flatMap(({ name, overflows }) =>
      overflows.flatMap(({ at, dropped: said }) =>
        stream.dropped.some((each) => each.at <= at && each.count === said)
          ? []
          : [`${name} told of ${said} dropped events, which nobody counted`],
      ),
    ),
  ];
});

export const streams: Checker = {
  rules: {
    everythingIsWritten,
    nothingElseSettles,
    nothingElseIsWritten,
    entitiesKeepTheirOrder,
    keysReachWhatIsWritten,
    positionsRise,
    newPositionsAreHigher,
    nothingSettledComesAgain,
    onlyNewerOnesReplace,
    overflowsAreTold,
  },
};
