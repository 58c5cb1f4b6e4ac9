/**
 * Sends (I1, I2, I8): a message answered 201 is in the log with its text; a refused one is not. One
 * with unknown outcome is there once or not at all. A call answered before another was made comes
 * first in its conversation's log.
 */
import type { Asked } from '../history.ts';
import { byText, type Checker, type Evidence } from './evidence.ts';

const SENDS = new Set([
  ...['send', 'send-once', 'send-url', 'send-file', 'send-by-conversation'],
  ...['inbound-webhook', 'reply', 'schedule'],
]);

function textOf({ request }: Asked): string | null {
  const text = request.text ?? request.message;
  return typeof text === 'string' && text !== '' ? text : null;
}

function messageIdOf({ response }: Asked): string | null {
  const id = Object(response?.data).messageId;
  return typeof id === 'string' ? id : null;
}

function sends({ history }: Evidence): readonly (Asked & { readonly text: string })[] {
  return history.flatMap((asked) => {
    const text = textOf(asked);
    return SENDS.has(asked.operation) && text !== null ? [{ ...asked, text }] : [];
  });
}

export const acceptedIsDurable: Checker = (evidence) => {
  const found = byText(evidence.entries);
  return sends(evidence).flatMap((asked) => {
    const entries = found.get(asked.text) ?? [];
    const what = `${asked.operation} ${asked.text} (${asked.status})`;
    if (entries.length > 1) return [`${what} is in the logs ${entries.length} times`];
    if (asked.outcome === 'refused' && entries.length > 0)
      return [`${what} is in a log all the same`];
    if (asked.outcome !== 'done') return [];
    const [entry] = entries;
    if (!entry) return [`${what} was accepted and is in no log`];
    const id = messageIdOf(asked);
    return id !== null && id !== entry._id
      ? [`${what} was answered ${id}, stored ${entry._id}`]
      : [];
  });
};

/** A call that was answered before another was made comes first. */
export const answeredFirstComesFirst: Checker = (evidence) => {
  const found = byText(evidence.entries);
  const placed = sends(evidence).flatMap((asked) => {
    const [entry] = found.get(asked.text) ?? [];
    return entry && asked.outcome === 'done' ? [{ asked, entry }] : [];
  });
  const logs = Map.groupBy(placed, ({ entry }) => entry.conversationId);
  return [...logs.values()].flatMap((log) =>
    log.flatMap((one) =>
      log
        .filter(
          (other) => one.asked.endedAt < other.asked.startedAt && one.entry.seq > other.entry.seq,
        )
        .map((other) => `${one.asked.text} was answered before ${other.asked.text} and follows it`),
    ),
  );
};

/** Once per conversation and place: no gap, no fork (I7). */
export const logsHaveNoGapAndNoFork: Checker = ({ entries, appended }) => {
  const wrong: string[] = [];
  for (const [id, log] of Map.groupBy(entries, ({ conversationId }) => conversationId)) {
    const places = log.map(({ seq }) => seq).sort((left, right) => left - right);
    places.forEach((seq, index) => {
      if (seq !== index + 1) wrong.push(`the log of ${id} has ${seq} at place ${index + 1}`);
    });
  }
  const last = new Map<string, number>();
  for (const { _id, conversationId, seq } of appended) {
    const before = last.get(conversationId) ?? 0;
    if (seq !== before + 1) wrong.push(`${_id} was appended as ${seq} after ${before}`);
    last.set(conversationId, seq);
  }
  return wrong;
};
