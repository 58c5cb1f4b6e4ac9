/**
 * Reads beside writes (I12; architecture: what is answered is there). A page of messages requested
 * after a send was answered shows it, unless newer ones fill the page. Its total counts all of
 * those. A page as long as its total is the only one, so that no message is left to an older page.
 * The messages of a page are the newest first, exact to 5 s, however late one came (D406).
 * A list shows every conversation as of the last message that was acknowledged before it.
 */
import { type Checker, callsOf, fromStore, type Rule } from './checker.ts';
import type { Call, Entry, History, Message } from './history.ts';

interface Answered {
  readonly message: Message;
  readonly endedAt: number;
}

/** Messages by the calls that were answered with their ids. */
function answeredIn({ messages }: History, calls: readonly Call[]): readonly Answered[] {
  const known = new Map(messages.map((message) => [message.id, message]));
  return calls.flatMap(({ outcome, answer, endedAt }) => {
    const message = outcome === 'ok' ? known.get(answer?.messageId ?? '') : undefined;
    return message ? [{ message, endedAt }] : [];
  });
}

const pagesShowWhatWasAnswered: Rule = (history) => {
  // A page has neither notes nor messages that wait for their time.
  const sent = answeredIn(history, callsOf(history, 'send'));
  const answered = Map.groupBy(sent, ({ message }) => placeIn(message, history));
  // A message with a time is shown where it was released.
  const others = history.messages.filter(({ dueAt }) => dueAt === undefined);
  const places = new Map(others.map(({ id, place }) => [id, place]));
  return callsOf(history, 'list-messages').flatMap(({ request, answer, startedAt }) => {
    if (!answer?.ids) return [];
    const { ids, total = 0 } = answer;
    const mine = answered.get(request.conversationId ?? request.phone ?? '') ?? [];
    const before = mine.filter(({ endedAt }) => endedAt < startedAt);
    const shown = new Set(ids);
    const oldest =
      total <= ids.length
        ? Number.NEGATIVE_INFINITY
        : Math.min(...ids.map((id) => places.get(id) ?? Number.POSITIVE_INFINITY));
    const hidden = before.filter(({ message: { id, place } }) => place >= oldest && !shown.has(id));
    return [
      ...hidden.map(({ message }) => `${message.text} was answered and then not shown`),
      ...(total < before.length ? [`a total of ${total}, ${before.length} were answered`] : []),
    ];
  });
};

const ORDER_MS = 5_000;

const pagesAreNewestFirst: Rule = (history) =>
  callsOf(history, 'list-messages').flatMap(({ answer, startedAt }) => {
    let oldest = Number.POSITIVE_INFINITY;
    return (answer?.times ?? []).flatMap((at, index) => {
      const tooNew = at - oldest;
      oldest = Math.min(oldest, at);
      const what = `the page of ${startedAt.toFixed()} has ${answer?.ids?.[index]}`;
      return tooNew > ORDER_MS ? [`${what} after a message that is ${tooNew} ms older`] : [];
    });
  });

/** Pages are asked for by the conversation, which some runs know by its phone. */
function placeIn({ conversationId, phone }: Message, { store }: History): string {
  return store ? conversationId : (phone ?? '');
}

/**
 * Each conversation's snapshot is at least that of its last acknowledged entry once all is well. An
 * insert without an answer may arrive after the next owner's recovery: its list may miss that one.
 */
const everyConversationIsListed = fromStore((store, { calls }) => {
  const done = calls.filter(({ outcome }) => outcome === 'ok');
  const names = done.flatMap(({ answer, request }) => [
    ...[answer?.messageId, request.externalId, request.text],
  ]);
  const told = new Set(names.filter((name) => name));
  const known = store.entries.filter(({ id, externalId, text }) =>
    [id, externalId, text ?? undefined].some((name) => told.has(name)),
  );
  return [...Map.groupBy(known, ({ conversationId }) => conversationId)].flatMap(([id, log]) => {
    const last = Math.max(...log.map(({ seq }) => seq));
    const seq = store.snapshots.get(id);
    if (seq === undefined) return [`conversation ${id} is on no list`];
    return seq < last ? [`conversation ${id} is listed as of ${seq}, ${last} was answered`] : [];
  });
});

/**
 * Rows tell who wrote the previewed message and what became of it: they read the entry that the
 * newest state names.
 */
const rowsNameTheirMessages = fromStore(({ entries }) =>
  [...Map.groupBy(entries, ({ conversationId }) => conversationId)].flatMap(([id, log]) => {
    const newest = log.reduce((last, each) => (each.seq > last.seq ? each : last));
    const { lastMessageSeq, lastMessagePreview: preview } = newest;
    if (lastMessageSeq === undefined) return [];
    const named = log.find(({ seq }) => seq === lastMessageSeq);
    if (!named) return [`conversation ${id} names ${lastMessageSeq} as its last message`];
    const { text, isChanged } = named;
    const isPreviewed = isChanged === true || text === null || text.startsWith(preview);
    return isPreviewed ? [] : [`conversation ${id} shows ${preview} of the message ${text}`];
  }),
);

const listsShowWhatWasAcknowledged = fromStore((store, history) => {
  const logs = Map.groupBy(store.entries, ({ conversationId }) => conversationId);
  const answered = answeredIn(history, history.calls);
  return callsOf(history, 'list-conversations').flatMap((list) => {
    if (list.outcome !== 'ok') return [];
    const newest = new Map<string, Message>();
    for (const { message, endedAt } of answered) {
      const known = newest.get(message.conversationId);
      if (endedAt > list.startedAt || (known && known.place > message.place)) continue;
      newest.set(message.conversationId, message);
    }
    return [...newest].flatMap(([id, message]) => missedBy(list, message, logs.get(id) ?? []));
  });
});

function missedBy(list: Call, message: Message, log: readonly Entry[]): readonly string[] {
  const { conversationId, text, place } = message;
  const row = list.answer?.rows?.find(({ id }) => id === conversationId);
  const what = `the list of ${list.startedAt.toFixed()}`;
  if (!row && log.some(({ isJoined }) => isJoined)) return [];
  if (!row) return [`${what} has no conversation ${conversationId}, which holds ${text}`];
  const shows = ({ lastMessageAt, lastMessagePreview }: Entry): boolean =>
    lastMessageAt === row.lastMessageAt && lastMessagePreview === row.lastMessagePreview;
  const isCurrent = log.some((entry) => entry.seq >= place && shows(entry));
  return isCurrent ? [] : [`${what} shows ${conversationId} without ${text}`];
}

export const reads: Checker = {
  rules: {
    pagesShowWhatWasAnswered,
    pagesAreNewestFirst,
    everyConversationIsListed,
    rowsNameTheirMessages,
    listsShowWhatWasAcknowledged,
  },
  counted: (history) => ({
    reads: callsOf(history, 'list-messages').filter(({ answer }) => answer?.ids).length,
  }),
};
