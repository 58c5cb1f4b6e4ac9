/** Queued messages of channels, from the index of the send agenda. */
import { BACKLOG_COUNTED_MAX } from '../../shared/limits.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { Backlog } from '../../shared/wire/panel-queries.ts';
import { shelved } from '../../shared/wire/subjects.ts';
import type { Store } from '../model/collections.ts';
import { SENDS_BY_TIME } from '../runtime/shelves.ts';
import type { Query } from './lists/answer.ts';

export const listBacklogs: Query<'backlogs'> = async ({ store }, { channelIds }) => {
  const found: Backlog[] = [];
  for (const channelId of channelIds) found.push(await backlogOf(store, channelId));
  return answerOf({ found });
};

async function backlogOf(store: Store, channelId: string): Promise<Backlog> {
  const filter = {
    ...{ 'send.partition': shelved('channel', channelId).partition, 'send.channelId': channelId },
    send: { $exists: true },
  };
  const queued = await store.find('entries', filter, {
    sort: { 'send.at': 1 },
    index: SENDS_BY_TIME,
    limit: BACKLOG_COUNTED_MAX + 1,
    project: { 'send.at': 1 },
  });
  const [oldest] = queued;
  return {
    channelId,
    queued: Math.min(queued.length, BACKLOG_COUNTED_MAX),
    more: queued.length > BACKLOG_COUNTED_MAX,
    oldestQueuedAt: oldest?.send ? timestamp(oldest.send.at) : null,
  };
}
