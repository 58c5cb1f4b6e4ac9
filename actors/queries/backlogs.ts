/**
 * Messages that wait in the queues of channels, by their urgency, from an index of its own (D426).
 *
 * 1. Only messages that wait are in the index: one that goes at once costs it nothing.
 * 2. One call finds the queues where anything waits; only those are counted, up to a limit. So the
 *    cost of many channels is that of their number, and not of what waits elsewhere.
 */
import type { ChannelBacklog, QueueBacklog } from '../../shared/api/channel.ts';
import { BACKLOG_COUNTED_MAX } from '../../shared/limits.ts';
import { URGENCIES, type Urgency } from '../../shared/vocabulary.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { WAITING_INDEX } from '../channel/queued-sends.ts';
import type { Filter, Store } from '../model/collections.ts';
import type { Query } from './lists/answer.ts';

/** Of the panel: its rows show the same queues. */
export const listBacklogs: Query<'backlogs'> = async ({ store }, { channelIds }) => {
  const backlogs = await readBacklogs(store, channelIds);
  const found = [...backlogs].map(([channelId, backlog]) => ({ channelId, backlog }));
  return answerOf({ found });
};

interface Queue {
  readonly channelId: string;
  readonly urgency: Urgency;
}

const EMPTY: QueueBacklog = { queued: 0, more: false, oldestQueuedAt: null };
const NOTHING: ChannelBacklog = { reply: EMPTY, normal: EMPTY, bulk: EMPTY };
/** Of one command. */
const ASKED_AT_ONCE = 60;

export async function readBacklogs(
  store: Store,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, ChannelBacklog>> {
  const backlogs = new Map(channelIds.map((id) => [id, NOTHING]));
  const queues = channelIds.flatMap((channelId) =>
    URGENCIES.map((urgency): Queue => ({ channelId, urgency })),
  );
  for (let at = 0; at < queues.length; at += ASKED_AT_ONCE) {
    const asked = queues.slice(at, at + ASKED_AT_ONCE);
    const waits = await store.existsEach(
      asked.map((queue) => ({ collection: 'entries', filter: waitingIn(queue) })),
    );
    for (const queue of asked.filter((_, number) => waits[number])) {
      const { channelId, urgency } = queue;
      const known = backlogs.get(channelId) ?? NOTHING;
      backlogs.set(channelId, { ...known, [urgency]: await countIn(store, queue) });
    }
  }
  return backlogs;
}

/** The agenda names no urgency of what is normal. */
function waitingIn({ channelId, urgency }: Queue): Filter<'entries'> {
  return {
    'send.channelId': channelId,
    'send.urgency': urgency === 'normal' ? null : urgency,
    'send.state': 'queued',
  };
}

async function countIn(store: Store, queue: Queue): Promise<QueueBacklog> {
  const waiting = await store.find('entries', waitingIn(queue), {
    sort: { 'send.at': 1 },
    ...{ limit: BACKLOG_COUNTED_MAX + 1, index: WAITING_INDEX },
    project: { 'send.at': 1 },
  });
  const [oldest] = waiting;
  return {
    queued: Math.min(waiting.length, BACKLOG_COUNTED_MAX),
    more: waiting.length > BACKLOG_COUNTED_MAX,
    oldestQueuedAt: oldest?.send ? timestamp(oldest.send.at) : null,
  };
}
