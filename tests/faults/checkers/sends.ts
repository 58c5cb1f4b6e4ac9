/**
 * Sends and logs (I1, I2, I7, I8). A message that was accepted is in its conversation once, a
 * refused one is not, one of unknown outcome is there once or not at all. A call that was answered
 * before another was made comes first, whoever wrote. Of those that go only after one message, one
 * does.
 */
import {
  type Checker,
  fromStore,
  grouped,
  outOf,
  presence,
  type Rule,
  sendsOf,
} from './checker.ts';
import type { Call, History, Message } from './history.ts';

const acceptedIsDurable: Rule = (history) => {
  // A template in place of a refused message has its text, and was not asked for.
  const asked = outOf(history).filter(({ replaces }) => replaces === undefined);
  const found = grouped(asked, ({ text }) => text ?? '');
  return [...grouped(sendsOf(history), ({ text }) => text).groups].flatMap(([text, calls]) =>
    presence(
      text,
      calls,
      found.of(text).map(({ id }) => id),
    ),
  );
};

/** In its conversation; flows write by themselves, and people on the phone of a number. */
const nothingElseIsWritten: Rule = (history) => {
  const asked = grouped(sendsOf(history), ({ text }) => text);
  const told = new Set(history.calls.flatMap(({ request }) => request.externalId ?? []));
  const greetings = new Set(history.calls.flatMap(({ request }) => request.greeting ?? []));
  return outOf(history).flatMap(({ id, text, phone, externalId, isAutomatic }) => {
    if (isAutomatic || told.has(externalId ?? '') || greetings.has(text ?? '')) return [];
    const calls = asked.of(text ?? '').map(({ request }) => request.phone);
    return calls.some((to) => to === undefined || phone === null || to === phone)
      ? []
      : [`${text} (${id}) is there and nobody sent it`];
  });
};

/** A message in its place, and the time from the first call for it until it was answered. */
interface Placed {
  readonly name: string;
  readonly message: Message;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A page has what contacts wrote by the network's time, which is in whole seconds. */
const PAGE_TIME_MS = 1_000;

const answeredFirstComesFirst: Rule = (history) => {
  const isAsNear = (one: Placed, other: Placed) =>
    history.store === undefined &&
    one.message.direction !== other.message.direction &&
    Math.abs(one.startedAt - other.endedAt) < PAGE_TIME_MS;
  const logs = Map.groupBy(placed(history), ({ message }) => message.conversationId);
  return [...logs.values()].flatMap((log) => {
    log.sort((one, other) => one.message.place - other.message.place);
    let latest = log[0];
    return log.flatMap((each) => {
      const before = latest;
      if (before === undefined || each.startedAt > before.startedAt) latest = each;
      if (before === undefined || isAsNear(before, each)) return [];
      return each.endedAt < before.startedAt
        ? [`${each.name} was answered before ${before.name} was asked for, and follows it`]
        : [];
    });
  });
};

function placed(history: History): readonly Placed[] {
  const byText = grouped(sendsOf(history), ({ text }) => text);
  const brought = history.calls.filter(({ operation }) => operation === 'inbound');
  const byName = grouped(brought, ({ request }) => request.externalId ?? '');
  return history.messages.flatMap((message) => {
    const { text, direction, externalId, replaces, dueAt } = message;
    // A page shows a message with a time where it was released; the log has it where it was asked for.
    const isElsewhere = dueAt !== undefined && history.store === undefined;
    if (replaces !== undefined || isElsewhere) return [];
    const sends = direction === 'out' ? byText.of(text ?? '') : [];
    const calls: readonly Call[] = sends.length > 0 ? sends : byName.of(externalId ?? '');
    if (calls.length === 0) return [];
    const startedAt = Math.min(...calls.map((call) => call.startedAt));
    const endedAt = Math.min(...calls.map((call) => call.endedAt));
    return [{ name: text ?? externalId ?? '', message, startedAt, endedAt }];
  });
}

/** Whatever their calls were answered. */
const oneGoesAfterEach: Rule = (history) => {
  const bound = sendsOf(history).filter(({ request }) => request.after !== undefined);
  const found = grouped(outOf(history), ({ text }) => text ?? '');
  const afterEach = grouped(bound, ({ request }) => request.after ?? '');
  return [...afterEach.groups].flatMap(([after, calls]) => {
    const texts = [...new Set(calls.map(({ text }) => text))];
    const gone = texts.filter((text) => found.of(text).length > 0);
    return gone.length > 1 ? [`${gone.join(', ')} went after ${after} at once`] : [];
  });
};

/** Once per conversation and place: no gap, no fork. */
const logsHaveNoGapAndNoFork = fromStore((store) => {
  const wrong: string[] = [];
  for (const [id, log] of Map.groupBy(store.entries, ({ conversationId }) => conversationId)) {
    const places = log.map(({ seq }) => seq).sort((left, right) => left - right);
    places.forEach((seq, index) => {
      if (seq !== index + 1) wrong.push(`the log of ${id} has ${seq} at place ${index + 1}`);
    });
  }
  const last = new Map<string, number>();
  for (const { id, conversationId, seq } of store.appended) {
    const before = last.get(conversationId) ?? 0;
    if (seq !== before + 1) wrong.push(`${id} was appended as ${seq} after ${before}`);
    last.set(conversationId, seq);
  }
  return wrong;
});

export const sends: Checker = {
  rules: {
    acceptedIsDurable,
    nothingElseIsWritten,
    answeredFirstComesFirst,
    oneGoesAfterEach,
    logsHaveNoGapAndNoFork,
  },
  counted: (history) => {
    const calls = sendsOf(history);
    const count = (wanted: string) => calls.filter(({ outcome }) => outcome === wanted).length;
    return { accepted: count('ok'), refused: count('refused'), unanswered: count('unknown') };
  },
};
