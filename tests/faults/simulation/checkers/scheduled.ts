/**
 * Scheduled messages (I34): settled once, never before their time, in the order in which they
 * became due. Nothing is handed to the network after a cancel or after an opt-out.
 */
import type { EntryDocument } from '../../../../actors/conversation/api.ts';
import type { Settlement } from '../../../../actors/domain/settlement.ts';
import type { StoredMessage } from '../../../../shared/message.ts';
import type { Checker, Evidence } from './evidence.ts';

interface Scheduled {
  readonly entry: EntryDocument;
  readonly message: StoredMessage;
  readonly at: number;
  /** Entries that settle it; none where it was sent at once. */
  readonly settlements: readonly (Pick<EntryDocument, '_id' | 'seq'> & {
    readonly settles: Settlement;
  })[];
}

function scheduled({ entries }: Pick<Evidence, 'entries'>): readonly Scheduled[] {
  const settlements = Map.groupBy(
    entries.flatMap(({ _id, seq, settles }) => (settles ? [{ _id, seq, settles }] : [])),
    ({ settles }) => settles.messageId,
  );
  return entries.flatMap((entry) => {
    const { message } = entry;
    if (!message?.schedule) return [];
    const own = settlements.get(entry._id) ?? [];
    return [{ entry, message, at: message.schedule.at, settlements: own }];
  });
}

interface OptOut {
  readonly endedAt: number;
  readonly phone?: unknown;
  readonly onlyOn?: unknown;
}

/** Once all is well each is settled, at most once, and its status is that of its settlement. */
export const settledOnce: Checker = (evidence) =>
  scheduled(evidence).flatMap(({ entry, message, settlements }) => {
    const what = `${message.text} (${entry._id})`;
    if (settlements.length > 1) return [`${what} was settled ${settlements.length} times`];
    if (message.status === 'scheduled') return [`${what} is still scheduled`];
    const [settlement] = settlements;
    const outcome = settlement?.settles.outcome ?? 'released';
    const isCancelled = message.status === 'cancelled';
    return isCancelled === (outcome === 'cancelled')
      ? []
      : [`${what} was ${outcome} and is ${message.status}`];
  });

/** By the clock of the owner that settled it. */
export const neverEarly: Checker = (evidence) =>
  scheduled(evidence).flatMap(({ message, at, settlements }) =>
    settlements.flatMap(({ _id, settles }) => {
      const settledAt = evidence.appendedAt.get(_id) ?? 0;
      if (settles.outcome === 'cancelled' || settledAt >= at) return [];
      return [`${message.text} was settled ${at - settledAt} ms early`];
    }),
  );

/** Of two that wait in one log, the one that is due first is settled first. */
export const settledAsTheyBecameDue: Checker = (evidence) => {
  const settled = scheduled(evidence).flatMap(({ entry, message, at, settlements }) => {
    const [settlement] = settlements;
    if (!settlement || settlement.settles.outcome === 'cancelled') return [];
    return [{ log: entry.conversationId, text: message.text, seq: entry.seq, at, settlement }];
  });
  const logs = Map.groupBy(settled, ({ log }) => log);
  return [...logs.values()].flatMap((all) =>
    all.flatMap((one) =>
      all
        .filter(({ at, seq, settlement }) => {
          const isEarlier = one.at < at || (one.at === at && one.seq < seq);
          const bothWaited = one.seq < settlement.seq;
          return isEarlier && bothWaited && one.settlement.seq > settlement.seq;
        })
        .map((other) => `${one.text} was due before ${other.text} and was settled after it`),
    ),
  );
};

/** A cancel that was answered stays; what failed at its time is not handed over either. */
export const endedIsNotHandedOver: Checker = (evidence) => {
  const handedOver = new Set(evidence.transmissions.map(({ messageId }) => messageId));
  const cancelled = new Set(
    evidence.history.flatMap(({ operation, outcome, request }) =>
      operation === 'cancel' && outcome === 'done' ? [String(request.messageId)] : [],
    ),
  );
  return scheduled(evidence).flatMap(({ entry: { _id }, message, settlements }) => {
    const wrong: string[] = [];
    if (cancelled.has(_id) && message.status !== 'cancelled') {
      wrong.push(`${message.text} was cancelled and is ${message.status}`);
    }
    const ended = settlements.some(({ settles }) => settles.outcome !== 'released');
    if (ended && handedOver.has(_id)) wrong.push(`${message.text} had ended and was handed over`);
    return wrong;
  });
};

/**
 * None after an opt-out that was answered before the message was marked. A contact's word on one
 * channel reaches the others a moment later.
 */
export const noneAfterOptOut: Checker = ({ entries, history, transmissions, marks }) => {
  const outs = history.flatMap(({ operation, outcome, request, endedAt }) =>
    operation === 'opt-out' && outcome === 'done' ? [{ ...request, endedAt }] : [],
  );
  const isScheduled = new Set(
    entries.flatMap(({ _id, message }) => (message?.schedule ? [_id] : [])),
  );
  return transmissions.flatMap(({ messageId, channelId, to, text, at }) => {
    if (!isScheduled.has(messageId)) return [];
    const mark = marks.findLast((each) => each.messageId === messageId && each.at <= at);
    const out = outs.find(
      ({ phone, onlyOn = channelId, endedAt }: OptOut) =>
        phone === to && onlyOn === channelId && endedAt < (mark?.at ?? at),
    );
    return out ? [`${text} was handed over after the opt-out of ${out.endedAt.toFixed()}`] : [];
  });
};
