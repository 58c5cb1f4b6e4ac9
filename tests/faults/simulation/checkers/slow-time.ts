/**
 * State that is forgotten and comes back: parked deliveries, probes of channels, calls under a
 * key, lists of conversations (I1, I3, I8, I11, I12).
 */
import type { EntryDocument } from '../../../../actors/conversation/api.ts';
import { PROBE_MAX_MS } from '../../../../actors/domain/breaker.ts';
import type { Asked } from '../history.ts';
import type { Checker } from './evidence.ts';

/** A probe, the deliveries it resumes, and the delay that a fallback poll may add. */
const TAKEN_UP_WITHIN_MS = 20_000;
/** The longest time between two probes of a channel's network (actors/channel), and their slack. */
const PROBED_WITHIN_MS = 75_000;

/** Parked with a healthy subscriber for longer than the longest wait of a breaker. */
export const parkedDeliveriesComeBack: Checker = ({ deliveries, disabled, healedAt, endedAt }) => {
  if (endedAt - healedAt < PROBE_MAX_MS + TAKEN_UP_WITHIN_MS) return [];
  return deliveries.flatMap(({ _id, subscriptionId, state }) =>
    state.status === 'parked' && !disabled.has(subscriptionId)
      ? [`delivery ${_id} is parked although its subscriber is well`]
      : [],
  );
};

/** A number that is never probed again never becomes ready again. */
export const everyChannelIsProbed: Checker = ({ channels, probes, healedAt, endedAt }) => {
  const from = endedAt - PROBED_WITHIN_MS;
  if (from < healedAt) return [];
  return channels.flatMap((id) =>
    probes.some(({ channelId, at }) => channelId === id && at >= from)
      ? []
      : [`nobody has looked at channel ${id} for ${PROBED_WITHIN_MS} ms`],
  );
};

/** Calls under a key write a value of their own: a record takes it once, however often repeated. */
export const noKeyedCallHasTwoEffects: Checker = ({ history, changes }) => {
  const times = new Map<string, number>();
  for (const { value } of changes) times.set(value, (times.get(value) ?? 0) + 1);
  return history.flatMap(({ operation, outcome, status, request }) => {
    if (typeof request.keyed !== 'string') return [];
    const effects = times.get(request.keyed) ?? 0;
    const what = `${operation} ${request.keyed} (${status})`;
    if (effects > 1) return [`${what} took effect ${effects} times`];
    if (outcome === 'done' && effects === 0) return [`${what} was acknowledged and had no effect`];
    return outcome === 'refused' && effects > 0 ? [`${what} took effect all the same`] : [];
  });
};

const TOLD_AS = { won: 'deal.won', lost: 'deal.lost' } as const;

/** A second effect under the first one's event id is delivered to no subscriber. */
export const everyStageOfADealIsTold: Checker = ({ changes, deliveries }) => {
  const told = Map.groupBy(deliveries, ({ body }) => {
    const { event, data } = JSON.parse(body);
    return `${event} ${data.deal?.id}`;
  });
  const become = Map.groupBy(
    changes.filter(({ field }) => field === 'status'),
    ({ id, value }) => `${id} ${value}`,
  );
  return [...become].flatMap(([place, all]) => {
    const [id = '', status = ''] = place.split(' ');
    if (status !== 'won' && status !== 'lost') return [];
    const event = TOLD_AS[status];
    const times = told.get(`${event} ${id}`)?.length ?? 0;
    return times === all.length
      ? []
      : [`${id} became ${status} ${all.length} times, ${event} was told ${times} times`];
  });
};

/**
 * Each conversation's snapshot is at least that of its last acknowledged entry once all is well. An
 * insert without an answer may arrive after the next owner's recovery: its list may miss that one.
 */
export const everyConversationIsListed: Checker = ({ history, entries, conversations }) => {
  const shown = new Map(conversations.map(({ _id, snapshot }) => [_id, snapshot.seq]));
  const told = acknowledgedIn(history);
  const known = entries.filter((entry) => namesOf(entry).some((name) => told.has(name)));
  return [...Map.groupBy(known, ({ conversationId }) => conversationId)].flatMap(([id, log]) => {
    const last = Math.max(...log.map(({ seq }) => seq));
    const seq = shown.get(id);
    if (seq === undefined) return [`conversation ${id} is on no list`];
    return seq < last ? [`conversation ${id} is listed as of ${seq}, ${last} was answered`] : [];
  });
};

/** Of messages: their ids, the ids that networks gave them, their texts. */
function acknowledgedIn(history: readonly Asked[]): ReadonlySet<unknown> {
  const done = history.filter(({ outcome }) => outcome === 'done');
  const names = done.flatMap(({ response, request }) => [
    Object(response?.data).messageId,
    request.externalId,
    request.text,
    request.message,
  ]);
  return new Set(names.filter((name) => typeof name === 'string' && name !== ''));
}

function namesOf({ _id, externalId, message }: EntryDocument): readonly unknown[] {
  return [_id, externalId, message?.text];
}

/** A list shows every conversation as of the last message that was acknowledged before it. */
export const listsShowWhatWasAcknowledged: Checker = ({ history, entries }) => {
  const byId = new Map(entries.map((entry) => [entry._id, entry]));
  const logs = Map.groupBy(entries, ({ conversationId }) => conversationId);
  const acknowledged = history.flatMap(({ outcome, response, endedAt }) => {
    const entry =
      outcome === 'done' ? byId.get(String(Object(response?.data).messageId)) : undefined;
    return entry ? [{ entry, endedAt }] : [];
  });
  const lists = history.filter(
    ({ operation, outcome }) => operation === 'list-conversations' && outcome === 'done',
  );
  return lists.flatMap((list) => {
    const newest = new Map<string, EntryDocument>();
    for (const { entry, endedAt } of acknowledged) {
      if (endedAt > list.startedAt) continue;
      const known = newest.get(entry.conversationId);
      if (!known || known.seq < entry.seq) newest.set(entry.conversationId, entry);
    }
    return [...newest.values()].flatMap((entry) =>
      missedBy(list, entry, logs.get(entry.conversationId) ?? []),
    );
  });
};

function missedBy(list: Asked, entry: EntryDocument, log: readonly EntryDocument[]): string[] {
  const rows = Array.isArray(list.response?.data) ? list.response.data : [];
  const row = rows.find(({ id }) => id === entry.conversationId);
  const what = `the list of ${list.startedAt.toFixed()}`;
  const text = entry.message?.text ?? '';
  if (!row) return [`${what} has no conversation ${entry.conversationId}, which holds ${text}`];
  const shows = ({ after }: EntryDocument): boolean =>
    new Date(after.lastMessageAt).toISOString() === row.lastMessageAt &&
    after.lastMessagePreview === row.lastMessagePreview;
  const isCurrent = log.some((each) => each.seq >= entry.seq && shows(each));
  return isCurrent ? [] : [`${what} shows ${entry.conversationId} without ${text}`];
}
